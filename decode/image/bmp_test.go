package image

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode/image/format"
	"github.com/spoolmedia/spool/decode/internal/raster"
)

// bmpFile is an image of 1x1 pixels of 24 bits, with some 16-bit words of its headers changed.
func bmpFile(changes map[int]uint16) []byte {
	data := make([]byte, 54+2048)
	copy(data, "BM")
	data[10], data[14], data[18], data[22], data[26], data[28] = 54, 40, 1, 1, 1, 24
	for at, v := range changes {
		binary.LittleEndian.PutUint16(data[at:], v)
	}
	return data
}

func TestBMPRefusals(t *testing.T) {
	r, err := raster.OpenBMP(bmpFile(nil))
	require.NoError(t, firstError(t, r, err))
	for name, c := range map[string]struct {
		changes map[int]uint16
		want    spool.Class
	}{
		"header of 16 bytes":      {map[int]uint16{14: 16}, spool.ErrUnsupported},
		"no width":                {map[int]uint16{18: 0}, spool.ErrCorrupt},
		"negative width":          {map[int]uint16{20: 0xffff}, spool.ErrCorrupt},
		"no height":               {map[int]uint16{22: 0}, spool.ErrCorrupt},
		"lowest height":           {map[int]uint16{22: 0, 24: 0x8000}, spool.ErrCorrupt},
		"2 bits":                  {map[int]uint16{28: 2}, spool.ErrUnsupported},
		"48 bits":                 {map[int]uint16{28: 48}, spool.ErrUnsupported},
		"runs of 24 bits":         {map[int]uint16{30: raster.BMPRLE8}, spool.ErrCorrupt},
		"RLE4 of 8 bits":          {map[int]uint16{28: 8, 30: raster.BMPRLE4}, spool.ErrCorrupt},
		"a million lines of runs": {map[int]uint16{24: 0x11, 28: 8, 30: raster.BMPRLE8}, spool.ErrTooLarge},
		"fields of 8 bits":        {map[int]uint16{28: 8, 30: raster.BMPBitFields}, spool.ErrUnsupported},
		"JPEG within":             {map[int]uint16{30: 4}, spool.ErrUnsupported},
		"palette of 2^24 colours": {map[int]uint16{28: 8, 48: 0x100}, spool.ErrCorrupt},
		"mask with a gap":         {map[int]uint16{28: 16, 30: raster.BMPBitFields, 54: 0x5}, spool.ErrUnsupported},
		"mask beyond the pixel":   {map[int]uint16{28: 16, 30: raster.BMPBitFields, 56: 0x1}, spool.ErrUnsupported},
		"24-bit fields":           {map[int]uint16{28: 24, 30: raster.BMPBitFields, 54: 0xf0}, spool.ErrUnsupported},
		"pixels beyond the end":   {map[int]uint16{12: 0x7fff}, spool.ErrTruncated},
	} {
		r, err := raster.OpenBMP(bmpFile(c.changes))
		assert.ErrorIs(t, firstError(t, r, err), c.want, name)
	}
}

func FuzzBMP(f *testing.F) { fuzzRaster(f, format.BMP) }
