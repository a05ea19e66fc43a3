package vips_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/lanetest"
)

// The public test files decode to the pixels of Pillow 13, byte for byte.
func TestSharedMedia(t *testing.T) {
	seen := 0
	for name, want := range lanetest.SharedMedia(t, ".tif", ".tiff", ".heic", ".jxl") {
		if want.Kind != "image" {
			continue
		}
		seen++
		t.Run(name, func(t *testing.T) {
			h, pixels, err := decode(enter(t), extensions[strings.TrimPrefix(filepath.Ext(name), ".")],
				lanetest.ReadShared(t, name), 0, 3)
			require.NoError(t, err)
			assert.Equal(t, want.Shape, [3]int{h.Height, h.Width, 3})
			assert.Equal(t, want.Frames, h.Pages)
			assert.Equal(t, want.SHA256, lanetest.Digest(pixels))
		})
	}
	assert.GreaterOrEqual(t, seen, 4)
}
