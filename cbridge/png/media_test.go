package png_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cbridge/png"
	"github.com/spoolmedia/spool/internal/need"
)

// What Pillow makes of the pictures.
func TestSharedMedia(t *testing.T) {
	index, err := os.ReadFile(need.Media(t, "expected", "index.json"))
	require.NoError(t, err)
	var expected map[string]struct {
		SHA   string `json:"rgb_sha256"`
		Mode  string
		Shape []int
	}
	require.NoError(t, json.Unmarshal(index, &expected))
	checked := 0
	for name, want := range expected {
		if filepath.Ext(name) != ".png" || want.SHA == "" || want.Mode == "I;16" || name == "hard/wrong_ext.png" { // a JPEG
			continue
		}
		data, err := os.ReadFile(need.Media(t, name))
		require.NoError(t, err)
		pixels, report, err := decode(t, data, png.Options{})
		require.NoError(t, err, name)
		assert.Equal(t, want.Shape, []int{report.Height, report.Width, 3}, name)
		assert.Equal(t, want.SHA, digest(pixels), name)
		checked++
	}
	t.Log(checked, "pictures")
	assert.Greater(t, checked, 5)
}
