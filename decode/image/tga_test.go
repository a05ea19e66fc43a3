package image

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode/image/format"
	"github.com/spoolmedia/spool/decode/internal/raster"
)

// tgaFile is a header of 1x1 pixels with some of its bytes changed, and 16 bytes after it.
func tgaFile(changes map[int]byte) []byte {
	data := make([]byte, 18+16)
	data[2], data[12], data[14], data[16] = raster.TGAColor, 1, 1, 24
	for at, v := range changes {
		data[at] = v
	}
	return data
}

func TestTGARefusals(t *testing.T) {
	require.Equal(t, format.TGA, format.Of(tgaFile(nil)))
	r, err := raster.OpenTGA(tgaFile(nil))
	require.NoError(t, firstError(t, r, err))
	for name, c := range map[string]struct {
		data []byte
		want spool.Class
	}{
		"no width":   {tgaFile(map[int]byte{12: 0}), spool.ErrCorrupt},
		"no height":  {tgaFile(map[int]byte{14: 0}), spool.ErrCorrupt},
		"map type 2": {tgaFile(map[int]byte{1: 2}), spool.ErrCorrupt},
		"no map":     {tgaFile(map[int]byte{2: raster.TGAMapped, 16: 8}), spool.ErrCorrupt},
		"map beyond 256 colours": {tgaFile(map[int]byte{1: 1, 2: raster.TGAMapped, 3: 250, 5: 7, 7: 16, 16: 8}),
			spool.ErrCorrupt},
		"map of 12 bits": {tgaFile(map[int]byte{1: 1, 2: raster.TGAMapped, 5: 1, 7: 12, 16: 8}),
			spool.ErrUnsupported},
		"map too long": {tgaFile(map[int]byte{1: 1, 2: raster.TGAMapped, 5: 200, 7: 24, 16: 8}),
			spool.ErrTruncated},
		"16-bit indices": {tgaFile(map[int]byte{1: 1, 2: raster.TGAMapped, 5: 1, 7: 24, 16: 16}),
			spool.ErrUnsupported},
		"12 bits":                {tgaFile(map[int]byte{16: 12}), spool.ErrUnsupported},
		"no image":               {tgaFile(map[int]byte{2: 0}), spool.ErrUnsupported},
		"Huffman":                {tgaFile(map[int]byte{2: 32}), spool.ErrUnsupported},
		"single bits in packets": {tgaFile(map[int]byte{2: raster.TGAGray | raster.TGARuns, 16: 1}), spool.ErrUnsupported},
		"long note":              {tgaFile(map[int]byte{0: 255}), spool.ErrTruncated},
	} {
		r, err := raster.OpenTGA(c.data)
		assert.ErrorIs(t, firstError(t, r, err), c.want, name)
		if c.want != spool.ErrTruncated {
			assert.Zero(t, format.Of(c.data), name)
		}
	}
}

func FuzzTGA(f *testing.F) { fuzzRaster(f, format.TGA) }
