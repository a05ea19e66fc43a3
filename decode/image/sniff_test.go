package image

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/decode/image/format"
)

func TestSniffFiles(t *testing.T) {
	text, err := os.ReadFile("../../testdata/expected.json")
	require.NoError(t, err)
	var expected map[string]struct{ Format string }
	require.NoError(t, json.Unmarshal(text, &expected))
	require.NotEmpty(t, expected)
	pillow := map[string]format.Format{"jpeg2000": format.JP2, "ppm": format.PNM, "mpo": format.JPEG}
	for f := format.JPEG; f <= format.TGA; f++ {
		pillow[f.String()] = f
	}
	for name, want := range expected {
		if want.Format == "" {
			continue
		}
		require.Contains(t, pillow, want.Format)
		data, err := os.ReadFile(filepath.Join("../../testdata", name))
		require.NoError(t, err)
		assert.Equal(t, pillow[want.Format], format.Of(data), name)
		assert.Equal(t, pillow[want.Format], format.Of(data[:min(64, len(data))]), name)
	}
	for name, want := range structures(t) {
		assert.Equal(t, want.format, format.Of(want.data), name)
	}
}
