package decode_test

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color/palette"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/image/tiff"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
)

// libtiff takes a picture whose palette lies behind the end of the file as gray, and only warns.
func TestPaletteBehindTheEnd(t *testing.T) {
	picture := image.NewPaletted(image.Rect(0, 0, 20, 12), palette.WebSafe)
	copy(picture.Pix, content("noise", 1, 20, 12, 1))
	for i := range picture.Pix {
		picture.Pix[i] %= uint8(len(palette.WebSafe))
	}
	var file bytes.Buffer
	require.NoError(t, tiff.Encode(&file, picture, nil))
	data := file.Bytes()
	d := newDecoder(t, decode.Options{})
	whole, _ := pixels(t, d, data, decode.ImageSpec{})
	for i, v := range picture.Pix {
		r, g, b, _ := palette.WebSafe[v].RGBA()
		require.Equal(t, []byte{byte(r >> 8), byte(g >> 8), byte(b >> 8)}, whole[3*i:][:3])
	}

	const colorMap = 320
	directory := data[binary.LittleEndian.Uint32(data[4:]):]
	entries := directory[2:]
	for range binary.LittleEndian.Uint16(directory) {
		if binary.LittleEndian.Uint16(entries) == colorMap {
			binary.LittleEndian.PutUint32(entries[8:], uint32(len(data)))
		}
		entries = entries[12:]
	}
	_, _, err := d.Image(ctx, data, decode.ImageSpec{})
	require.ErrorIs(t, err, spool.ErrTruncated)
}
