package decode

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// A file written by OpenEXR is called cut wherever it is.
func TestEXRCut(t *testing.T) {
	data, err := os.ReadFile("../cbridge/vips/testdata/light.exr")
	require.NoError(t, err)
	require.False(t, exrCut(data))
	for n := range data {
		require.True(t, exrCut(data[:n]), "cut at %d of %d", n, len(data))
	}
	// Two parts, tiles: nothing is proven by the table of chunks.
	tiled := bytes.Clone(data)
	tiled[5] |= 0x02
	require.False(t, exrCut(tiled[:len(tiled)-1]))
}
