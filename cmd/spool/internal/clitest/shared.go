package clitest

import (
	"testing"

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
	return recorded[SharedExpected](t, need.Media(t, "expected/index.json"))
}
