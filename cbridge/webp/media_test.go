package webp_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cbridge/webp"
	"github.com/spoolmedia/spool/internal/need"
)

const sharedMedia = "../../../shared/media"

// What Pillow makes of the still pictures of the shared media.
func TestSharedMedia(t *testing.T) {
	index, err := os.ReadFile(need.Media(t, "expected/index.json"))
	require.NoError(t, err)
	var expected map[string]struct {
		SHA   string `json:"rgb_sha256"`
		Shape []int
	}
	require.NoError(t, json.Unmarshal(index, &expected))
	checked := 0
	for name, want := range expected {
		if filepath.Ext(name) != ".webp" || want.SHA == "" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join(sharedMedia, name))
			require.NoError(t, err)
			if header(t, data).Animated {
				return
			}
			pixels, report, err := decode(t, data, webp.Options{})
			require.NoError(t, err)
			assert.Equal(t, want.SHA, digest(pixels))
			assert.Equal(t, 1.0, report.Fraction)
		})
		checked++
	}
	assert.Greater(t, checked, 5)
}
