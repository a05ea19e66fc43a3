package image_test

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/decodetest"
)

// Tags of TIFF 6.0.
const (
	tiffBits, tiffCompression, tiffPhotometric, tiffSamples = 258, 259, 262, 277
	tiffPlanes, tiffTileWidth, tiffTileLength, tiffTiles    = 284, 322, 323, 324
	tiffTileBytes, tiffExtra, tiffSampleFormat              = 325, 338, 339
)

type byteOrder interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

// tiffFile is a TIFF image with one strip of one row, uncompressed. tags adds or replaces tags; 0 removes one.
func tiffFile(order byteOrder, samples []uint16, channels, bits int, tags map[uint16]uint16) []byte {
	width := len(samples) / channels
	all := map[uint16]uint16{256: uint16(width), 257: 1, tiffBits: uint16(bits), tiffCompression: 1, tiffPhotometric: 2,
		273:         0,
		tiffSamples: uint16(channels), 278: 1, 279: uint16(len(samples) * bits / 8), tiffPlanes: 1}
	for tag, value := range tags {
		if all[tag] = value; value == 0 {
			delete(all, tag)
		}
	}
	deep := make([]byte, 0, 2*channels) // bits of each sample
	for range channels {
		deep = order.AppendUint16(deep, uint16(bits))
	}
	at := 8 + 2 + 12*len(all) + 4
	data := order.AppendUint32(order.AppendUint16([]byte("II"), 42), 8)
	if order.Uint16([]byte{0, 1}) == 1 {
		copy(data, "MM")
	}
	data = order.AppendUint16(data, uint16(len(all)))
	tagsInOrder := make([]uint16, 0, len(all))
	for tag := range all {
		tagsInOrder = append(tagsInOrder, tag)
	}
	slices.Sort(tagsInOrder)
	for _, tag := range tagsInOrder {
		const short, long = 3, 4
		switch {
		case tag == tiffBits && channels > 2:
			data = order.AppendUint32(order.AppendUint32(order.AppendUint16(order.AppendUint16(data, tag), short),
				uint32(channels)), uint32(at))
		case tag == 273 || tag == tiffTiles:
			data = order.AppendUint32(order.AppendUint32(order.AppendUint16(order.AppendUint16(data, tag), long), 1),
				uint32(at+len(deep)))
		default:
			data = order.AppendUint32(order.AppendUint16(order.AppendUint16(data, tag), short), 1)
			data = append(order.AppendUint16(data, all[tag]), 0, 0)
		}
	}
	data = append(append(data, 0, 0, 0, 0), deep...)
	for _, v := range samples {
		if bits == 8 {
			data = append(data, byte(v))
		} else {
			data = order.AppendUint16(data, v)
		}
	}
	return data
}

// The expected samples are Pillow 13's: for 16 bits it divides the high bytes by the opacity.
func TestTIFFAssociatedAlpha(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	stored := []uint16{13107, 26214, 6553, 32767, 32767, 39321, 45874, 32767, 19660, 19660, 19660, 0, 19660, 13107, 6553,
		65535,
		58981, 655, 13107, 262, 32767, 39321, 6553, 19660, 200, 300, 0, 255}
	want := []byte{102, 204, 50, 127, 255, 255, 255, 127, 0, 0, 0, 0, 76, 51, 25, 255, 255, 255, 255, 1, 255, 255, 83, 76,
		0, 0, 0, 0}
	var colors []byte
	for i := range want {
		if i%4 < 3 {
			colors = append(colors, want[i])
		}
	}
	for _, order := range []byteOrder{binary.LittleEndian, binary.BigEndian} {
		data := tiffFile(order, stored, 4, 16, map[uint16]uint16{tiffExtra: 1})
		before := slices.Clone(data)
		rgba, _ := decodetest.Image(t, d, data, image.Spec{Color: decode.RGBA})
		require.Equal(t, want, rgba)
		rgb, _ := decodetest.Image(t, d, data, image.Spec{})
		require.Equal(t, colors, rgb)
		require.Equal(t, before, data)
		wide, _ := decodetest.Image(t, d, data, image.Spec{Color: decode.RGBA, DType: spool.Uint16}) // divided with 16 bits
		require.InDelta(t, 13107*65535/32767, int(binary.NativeEndian.Uint16(wide)), 1)

		var narrow []uint16
		for _, v := range stored {
			narrow = append(narrow, v>>8)
		}
		rgba, _ = decodetest.Image(t, d, tiffFile(order, narrow, 4, 8, map[uint16]uint16{tiffExtra: 1}),
			image.Spec{Color: decode.RGBA})
		require.Equal(t, want, rgba)
		rgba, _ = decodetest.Image(t, d, tiffFile(order, []uint16{82, 1, 0, 82}, 4, 8, map[uint16]uint16{tiffExtra: 1}),
			image.Spec{Color: decode.RGBA})
		require.Equal(t, []byte{255, 3, 0, 82}, rgba) // a division in float32 gives 254
		rgba, _ = decodetest.Image(t, d, tiffFile(order, stored, 4, 16, map[uint16]uint16{tiffExtra: 2}),
			image.Spec{Color: decode.RGBA})
		require.Equal(t, byte(stored[0]>>8), rgba[0])
	}
}

// Features that libtiff or libvips does not decode are unsupported, and the text names them.
func TestTIFFUnsupported(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	samples := make([]uint16, 3*16*16)
	tiles := map[uint16]uint16{tiffPlanes: 2, tiffTileWidth: 16, tiffTileLength: 16, tiffTiles: 1, tiffTileBytes: 256,
		273: 0, 279: 0}
	for words, tags := range map[string]map[uint16]uint16{
		"JPEG of the old style":          {tiffCompression: 6, tiffPhotometric: 6},
		"YCbCr that is not JPEG":         {tiffPhotometric: 6},
		"no photometric interpretation":  {tiffPhotometric: 0},
		"tiles of separate planes":       tiles,
		"compression 34676":              {tiffCompression: 34676},
		"samples that have no gray or R": {tiffSampleFormat: 2, tiffBits: 8},
	} {
		for _, order := range []byteOrder{binary.LittleEndian, binary.BigEndian} {
			_, _, err := d.Images.Decode(ctx, spool.Bytes{Data: tiffFile(order, samples, 3, 8, tags)}, image.Spec{})
			require.ErrorIs(t, err, spool.ErrUnsupported, words)
			require.ErrorContains(t, err, words)
		}
	}
	rgb, _ := decodetest.Image(t, d, tiffFile(binary.LittleEndian, samples, 3, 8, nil), image.Spec{})
	require.Len(t, rgb, len(samples))
}
