package clitest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Times is what --pts-out writes of frames.
type Times struct {
	Index    []int     `json:"index"`
	PTS      []float64 `json:"pts"`
	Duration []float64 `json:"duration"`
}

// TimesOf is what --pts-out has of a file.
func (x Tool) TimesOf(t testing.TB, file string, flags ...string) (all Times) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "pts.json")
	x.Done(t, append([]string{"decode", "video", file, "--out", os.DevNull, "--pts-out", name}, flags...)...)
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &all))
	return all
}
