package clitest

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/need"
)

// SharedExpected is what Pillow and torchcodec decode from a file of the wider collection.
type SharedExpected struct {
	Expected
	Kind     string `json:"kind"`
	Width    int    `json:"width"` // of video, upright
	Height   int    `json:"height"`
	Codec    string `json:"codec"`
	Rotation string `json:"rotation"` // degrees, or None
	Audio    *struct {
		Rate  int   `json:"rate"`
		Shape []int `json:"shape"`
	} `json:"audio"`
}

// SharedMedia returns the index of the wider collection, by file.
func SharedMedia(t testing.TB) map[string]SharedExpected {
	t.Helper()
	data, err := os.ReadFile(need.Media(t, "expected/index.json"))
	require.NoError(t, err)
	var index map[string]SharedExpected
	require.NoError(t, json.Unmarshal(data, &index))
	require.NotEmpty(t, index)
	return index
}
