package vips_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/need"
)

// What Pillow 13 makes of the public test files, byte for byte.
func TestSharedMedia(t *testing.T) {
	const shared = "../../../shared/media"
	text, err := os.ReadFile(need.Media(t, "expected/index.json"))
	require.NoError(t, err)
	var index map[string]struct {
		Kind   string
		Frames int
		Shape  [3]int
		SHA256 string `json:"rgb_sha256"`
	}
	require.NoError(t, json.Unmarshal(text, &index))
	seen := 0
	for name, want := range index {
		format, ours := extensions[strings.TrimPrefix(filepath.Ext(name), ".")]
		if !ours || want.Kind != "image" {
			continue
		}
		seen++
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join(shared, name))
			require.NoError(t, err)
			h, pixels, err := decode(enter(t), format, data, 0, 3)
			require.NoError(t, err)
			assert.Equal(t, want.Shape, [3]int{h.Height, h.Width, 3})
			assert.Equal(t, want.Frames, h.Pages)
			assert.Equal(t, want.SHA256, digest(pixels))
		})
	}
	assert.GreaterOrEqual(t, seen, 4)
}
