package vips_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What Pillow 13 makes of the public test files, byte for byte; of AVIF, whose pixels depend on the
// decoder, the size only.
func TestSharedMedia(t *testing.T) {
	const shared = "../../../shared/media"
	text, err := os.ReadFile(filepath.Join(shared, "expected/index.json"))
	if err != nil {
		t.Skip("the shared media are not here: ", err)
	}
	var index map[string]struct {
		Kind, Mode string
		Frames     int
		Shape      [3]int
		SHA256     string `json:"rgb_sha256"`
	}
	require.NoError(t, json.Unmarshal(text, &index))
	seen := 0
	for name, want := range index {
		extension := filepath.Ext(name)
		format, ours := extensions[strings.TrimPrefix(extension, ".")]
		if !ours || want.Kind != "image" || name == "hard/wrong_ext.png" { // which is a JPEG
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
			if extension != ".avif" && want.Mode != "I;16" { // which Pillow clips at 255
				assert.Equal(t, want.SHA256, digest(pixels))
			}
		})
	}
	assert.Greater(t, seen, 40)
}
