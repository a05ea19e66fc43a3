package clitest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Times is the content of --pts-out.
type Times struct {
	Index    []int     `json:"index"`
	PTS      []float64 `json:"pts"`
	Duration []float64 `json:"duration"`
}

// TimesOf returns what --pts-out writes for a file.
func (x Tool) TimesOf(t testing.TB, file string, flags ...string) (all Times) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "pts.json")
	x.Done(t, append([]string{"decode", "video", file, "--out", os.DevNull, "--pts-out", name}, flags...)...)
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &all))
	return all
}
