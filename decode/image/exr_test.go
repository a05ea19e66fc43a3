package image

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// A file written by OpenEXR is detected as truncated at every length.
func TestEXRCut(t *testing.T) {
	data, err := os.ReadFile("../../cbridge/vips/testdata/light.exr")
	require.NoError(t, err)
	require.False(t, exrTruncated(data))
	for n := range data {
		require.True(t, exrTruncated(data[:n]), "cut at %d of %d", n, len(data))
	}
	// For multi-part and tiled files, the table of chunks proves nothing.
	tiled := bytes.Clone(data)
	tiled[5] |= 0x02
	require.False(t, exrTruncated(tiled[:len(tiled)-1]))
}
