package image_test

import (
	"encoding/binary"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/decodetest"
)

const jp2Media = "../../cbridge/jp2/testdata"

type jp2Golden struct {
	Width, Height, Bits int
	RGB, RGBA           string
}

func jp2Goldens(t *testing.T) map[string]jp2Golden {
	t.Helper()
	var file struct{ Files map[string]jp2Golden }
	require.NoError(t, json.Unmarshal(decodetest.ReadFile(t, jp2Media, "golden.json"), &file))
	require.NotEmpty(t, file.Files)
	return file.Files
}

func TestJP2IsPillows(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	for name, want := range jp2Goldens(t) {
		data := decodetest.ReadFile(t, jp2Media, name)
		rgb, report := decodetest.Image(t, d, data, image.Spec{})
		require.Equal(t, spool.Shape{want.Height, want.Width, 3}, report.Desc.Shape, name)
		require.Equal(t, "jp2", report.Trace.Lane)
		require.Equal(t, want.Bits, report.Info.Bits, name)
		require.Equal(t, want.RGB, digest(rgb), name)
		rgba, _ := decodetest.Image(t, d, data, image.Spec{Color: decode.RGBA})
		require.Equal(t, want.RGBA, digest(rgba), name)
		gray, _ := decodetest.Image(t, d, data, image.Spec{Color: decode.Gray})
		for i, v := range gray {
			luma := (19595*int(rgb[3*i]) + 38470*int(rgb[3*i+1]) + 7471*int(rgb[3*i+2]) + 32768) >> 16
			if luma != int(v) { // testify would take most of the time
				require.Equal(t, luma, int(v), name)
			}
		}
	}
}

// More than 8 bits are kept on request, and the color profile is that of the file.
func TestJP2Deep(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	for name, channels := range map[string]int{"gray12.jp2": 1, "gray16.j2k": 1, "rgb16.jp2": 3, "rgb12.jp2": 3,
		"signed12.jp2": 1} {
		data := decodetest.ReadFile(t, jp2Media, name)
		narrow, _ := decodetest.Image(t, d, data, image.Spec{})
		wide, report := decodetest.Image(t, d, data, image.Spec{DType: spool.Uint16})
		require.Equal(t, channels, report.Info.Channels, name)
		low := 0
		for i, v := range narrow {
			sample := int(binary.NativeEndian.Uint16(wide[2*i:]))
			require.InDelta(t, float64(sample)/256, float64(v), 1, name)
			if sample&0xff != 0 {
				low++
			}
		}
		assert.Greater(t, low, len(narrow)/2, name)
	}
	data := decodetest.ReadFile(t, jp2Media, "profile.jp2")
	plain, _ := decodetest.Image(t, d, data, image.Spec{})
	managed, report := decodetest.Image(t, d, data, image.Spec{ICC: true})
	assert.Positive(t, report.Trace.Profile)
	assert.NotEqual(t, plain, managed)
}

func TestJP2Damage(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	data := decodetest.ReadFile(t, jp2Media, "tiles.jp2") // 3 rows of tiles, the last with 2 rows of pixels
	all, _ := decodetest.Image(t, d, data, image.Spec{})
	cut := data[:len(data)-60]
	_, _, err := d.Images.Decode(ctx, spool.Bytes{Data: cut}, image.Spec{})
	require.ErrorIs(t, err, spool.ErrTruncated)
	buffer, report, err := d.Images.Decode(ctx, spool.Bytes{Data: cut}, image.Spec{Accept: 0.9})
	require.NoError(t, err)
	defer buffer.Release()
	assert.True(t, report.Damaged)
	assert.InDelta(t, 32.0/34, report.Fraction, 1e-9)
	n := 32 * report.Info.Width * 3
	assert.Equal(t, all[:n], buffer.Bytes()[:n])
	for _, name := range []string{"gray.jp2", "rgb.j2k", "large.jp2"} {
		data := decodetest.ReadFile(t, jp2Media, name)
		for _, accept := range []float64{0, 0.001} {
			_, _, err := d.Images.Decode(ctx, spool.Bytes{Data: data[:len(data)-20]}, image.Spec{Accept: accept})
			require.ErrorIs(t, err, spool.ErrTruncated, name)
		}
	}
}

// libvips' decoder of JPEG 2000 is never used: neither for JPEG 2000 files, nor within TIFF.
func TestJP2WithoutLibvips(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	for name := range jp2Goldens(t) {
		_, report := decodetest.Image(t, d, decodetest.ReadFile(t, jp2Media, name), image.Spec{Allow: image.AllowMagick})
		require.Equal(t, "jp2", report.Trace.Lane, name)
	}
	for _, compression := range []uint16{33003, 33004, 33005, 34712} {
		_, _, err := d.Images.Decode(ctx,
			spool.Bytes{Data: tiffOfJP2(decodetest.ReadFile(t, jp2Media, "rgb.j2k"), compression)},
			image.Spec{})
		require.ErrorIs(t, err, spool.ErrUnsupported)
		assert.ErrorContains(t, err, "JPEG 2000 in TIFF")
	}
}

// tiffOfJP2 is a TIFF file of 64x64 pixels in one tile, which libvips would decode.
func tiffOfJP2(codestream []byte, compression uint16) []byte {
	entries := [][2]uint32{{256, 64}, {257, 64}, {258, 8}, {259, uint32(compression)}, {262, 2}, {277, 3}, {322, 64},
		{323, 64}, {324, 0}, {325, uint32(len(codestream))}}
	data := []byte{'I', 'I', 42, 0, 8, 0, 0, 0, byte(len(entries)), 0}
	size := len(data) + 12*len(entries) + 4
	for _, e := range entries {
		if e[0] == 324 {
			e[1] = uint32(size)
		}
		data = binary.LittleEndian.AppendUint16(data, uint16(e[0]))
		data = append(data, 4, 0, 1, 0, 0, 0)
		data = binary.LittleEndian.AppendUint32(data, e[1])
	}
	return append(append(data, 0, 0, 0, 0), codestream...)
}
