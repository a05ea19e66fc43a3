package image_test

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/decodetest"
	"github.com/spoolmedia/spool/resize"
)

var webps = []string{"lossy.webp", "lossless.webp", "rgba.webp", "anim.webp", "icc.webp"}

func readWebP(t testing.TB, name string) []byte {
	return decodetest.ReadFile(t, media, "hard", "good", name)
}

// Profile fast has no shortcut in this lane.
func TestWebPIsExactInEveryProfile(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	for _, name := range webps {
		spec := image.Spec{Resize: resize.Spec{Width: 20, Height: 15}}
		exact, report := decodetest.Image(t, d, readWebP(t, name), spec)
		assert.Equal(t, "webp", report.Trace.Lane)
		spec.Resize.Profile = resize.Fast
		fast, _ := decodetest.Image(t, d, readWebP(t, name), spec)
		assert.Equal(t, exact, fast, name)
	}
}

// A crop is decoded alone and still has the pixels of the whole image, although chroma is interpolated across its
// border.
func TestWebPBoxes(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	for _, name := range webps {
		whole, report := decodetest.Image(t, d, readWebP(t, name), image.Spec{})
		width, height := report.Info.Width, report.Info.Height
		for _, box := range []resize.Rect{
			{Left: 1, Top: 1, Width: 5, Height: 7}, {Left: 2, Top: 4, Width: width - 3, Height: height - 5},
			{Left: width - 1, Top: height - 1, Width: 1, Height: 1},
		} {
			part, _ := decodetest.Image(t, d, readWebP(t, name), image.Spec{Resize: resize.Spec{Box: box}})
			for y := range box.Height {
				row := whole[((box.Top+y)*width+box.Left)*3:]
				require.Equal(t, row[:box.Width*3], part[y*box.Width*3:(y+1)*box.Width*3], "%s, box %v, row %d", name, box, y)
			}
		}
	}
}

func TestWebPAlpha(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	for _, name := range []string{"rgba.webp", "anim.webp", "disposal.webp"} {
		data := readWebP(t, name)
		rgba, report := decodetest.Image(t, d, data, image.Spec{Color: decode.RGBA})
		rgb, _ := decodetest.Image(t, d, data, image.Spec{})
		over, _ := decodetest.Image(t, d, data, image.Spec{Alpha: image.BlendAlpha, Over: decode.RGB8{R: 10, G: 200, B: 77}})
		gray, _ := decodetest.Image(t, d, data, image.Spec{Color: decode.Gray})
		for i := range gray {
			p, a := rgba[4*i:4*i+3], int(rgba[4*i+3])
			if !report.Info.Alpha {
				require.Equal(t, 255, a)
			}
			require.Equal(t, p, rgb[3*i:3*i+3], name)
			for c, behind := range []int{10, 200, 77} {
				require.InDelta(t, float64(int(p[c])*a+behind*(255-a))/255, over[3*i+c], 0.51)
			}
			require.EqualValues(t, (19595*int(p[0])+38470*int(p[1])+7471*int(p[2])+32768)>>16, gray[i])
		}
	}
}

// withExif converts a plain WebP file to the extended format, with an EXIF orientation.
func withExif(t *testing.T, d *decoders.Set, data []byte, orientation byte) []byte {
	_, report := decodetest.Image(t, d, data, image.Spec{})
	w, h := report.Info.Width-1, report.Info.Height-1
	const hasExif = 8
	chunks := append([]byte("WEBPVP8X\x0a\x00\x00\x00"), hasExif, 0, 0, 0, byte(w), byte(w>>8), 0, byte(h), byte(h>>8), 0)
	chunks = append(chunks, data[12:]...)
	exif := append([]byte("MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00"), orientation, 0, 0, 0, 0,
		0, 0)
	chunks = append(binary.LittleEndian.AppendUint32(append(chunks, "EXIF"...), uint32(len(exif))), exif...)
	return append(binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(chunks))), chunks...)
}

// Pillow applies the EXIF orientation, torchvision does not.
func TestWebPOrientation(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	data := withExif(t, d, readWebP(t, "lossless.webp"), 6)
	stored, report := decodetest.Image(t, d, data, image.Spec{Stored: true})
	for _, profile := range []resize.Profile{resize.Exact, resize.Fast} {
		same, report := decodetest.Image(t, d, data, image.Spec{Resize: resize.Spec{Profile: profile}})
		require.Equal(t, stored, same)
		require.Equal(t, 1, report.Info.Orientation)
	}
	upright, turned := decodetest.Image(t, d, data, image.Spec{Resize: resize.Spec{Profile: resize.Pillow}})
	require.Equal(t, 6, turned.Info.Orientation)
	w, h := report.Info.Width, report.Info.Height
	require.Equal(t, spool.Shape{w, h, 3}, turned.Desc.Shape)
	for y := range w {
		for x := range h { // turned by 90 degrees, clockwise
			at := ((h-1-x)*w + y) * 3
			require.Equal(t, stored[at:at+3], upright[(y*h+x)*3:(y*h+x)*3+3])
		}
	}
}

func TestWebPDamage(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	for _, name := range []string{"lossy.webp", "lossless.webp"} {
		data := readWebP(t, name)
		whole, _ := decodetest.Image(t, d, data, image.Spec{})
		cut := data[:len(data)*7/8]
		_, _, err := d.Images.Decode(ctx, spool.Bytes{Data: cut}, image.Spec{})
		assert.ErrorIs(t, err, spool.ErrTruncated, name)
		got, report := decodetest.Image(t, d, cut, image.Spec{Accept: 0.05, Fill: &decode.RGB8{R: 1, G: 2, B: 3}})
		assert.True(t, report.Damaged)
		assert.Equal(t, 1, report.Warnings)
		assert.Greater(t, report.Fraction, 0.05)
		assert.Less(t, report.Fraction, 1.0)
		row := report.Info.Width * 3
		assert.Equal(t, whole[:row], got[:row], name)
		assert.Equal(t, []byte{1, 2, 3}, got[len(got)-3:], name)
		_, _, err = d.Images.Decode(ctx, spool.Bytes{Data: cut}, image.Spec{Accept: 0.999})
		assert.ErrorIs(t, err, spool.ErrTruncated, name)
	}
	animated := readWebP(t, "anim.webp")
	_, _, err := d.Images.Decode(ctx, spool.Bytes{Data: animated[:len(animated)-20]}, image.Spec{Accept: 0.01})
	assert.ErrorIs(t, err, spool.ErrTruncated)
}

func TestWebPLimits(t *testing.T) {
	for _, name := range webps {
		d := decodetest.New(t, decoders.Options{Limits: decode.Limits{MaxMemory: 1 << 20}})
		_, _, err := d.Images.Decode(ctx, spool.Bytes{Data: readWebP(t, name)}, image.Spec{})
		assert.ErrorIs(t, err, spool.ErrTooLarge, name)
	}
	d := decodetest.New(t, decoders.Options{Limits: decode.Limits{MaxFrames: 1}})
	_, _, err := d.Images.Decode(ctx, spool.Bytes{Data: readWebP(t, "anim.webp")}, image.Spec{Frame: 1})
	assert.ErrorIs(t, err, spool.ErrTooLarge)
}
