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
	"github.com/spoolmedia/spool/resize"
)

const (
	avifMedia = "../../cbridge/avif/testdata"
	gifMedia  = "../../cbridge/gif/testdata"
)

// laneGolden is Pillow's result for a file of the lanes' own testdata.
type laneGolden struct {
	Width, Height, Orientation int
	Frames                     []struct{ RGB, RGBA string }
	Torchvision                string // digest of the first frame as RGB; empty if torchvision does not read it
}

func laneGoldens(t *testing.T, folder string) map[string]laneGolden {
	t.Helper()
	var file struct{ Files map[string]laneGolden }
	require.NoError(t, json.Unmarshal(decodetest.ReadFile(t, folder, "golden.json"), &file))
	require.NotEmpty(t, file.Files)
	return file.Files
}

// compareFrames compares all frames of all files with Pillow's, as RGB and with alpha, together and one by one.
func compareFrames(t *testing.T, folder, lane string) {
	d := decodetest.New(t, decoders.Options{})
	for name, want := range laneGoldens(t, folder) {
		data := decodetest.ReadFile(t, folder, name)
		for _, color := range []decode.Color{decode.RGB, decode.RGBA} {
			spec := image.Spec{Color: color, Stored: true, Resize: resize.Spec{Profile: resize.Pillow}}
			all, report, err := d.Images.DecodeFrames(ctx, spool.Bytes{Data: data}, spec, 0)
			require.NoError(t, err, name)
			require.Equal(t, spool.Shape{len(want.Frames), want.Height, want.Width, color.Channels()}, report.Desc.Shape, name)
			require.Equal(t, lane, report.Trace.Lane)
			size := all.Len() / len(want.Frames)
			for k, frame := range want.Frames {
				digests := []string{frame.RGB, frame.RGBA}
				expected := digests[map[decode.Color]int{decode.RGB: 0, decode.RGBA: 1}[color]]
				require.Equal(t, expected, digest(all.Bytes()[k*size:][:size]), "%s, frame %d of all", name, k)
				spec.Frame = k
				one, _ := decodetest.Image(t, d, data, spec)
				require.Equal(t, expected, digest(one), "%s, frame %d", name, k)
			}
			all.Release()
		}
	}
}

func TestAVIFIsPillows(t *testing.T) { compareFrames(t, avifMedia, "avif") }

func TestAVIFOrientation(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	for name, want := range laneGoldens(t, avifMedia) {
		_, report := decodetest.Image(t, d, decodetest.ReadFile(t, avifMedia, name), image.Spec{})
		assert.Equal(t, want.Orientation, report.Info.Orientation, name)
		shape := spool.Shape{want.Height, want.Width, 3}
		if want.Orientation >= 5 {
			shape = spool.Shape{want.Width, want.Height, 3}
		}
		assert.Equal(t, shape, report.Desc.Shape, name)
	}
}

// Images of more than 8 bits keep them in 16-bit results, and gray is gray in every channel.
func TestAVIFDeep(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	for name, levels := range map[string]int{"400_10bit.avif": 1023, "400_12bit.avif": 4095} {
		data := decodetest.ReadFile(t, avifMedia, name)
		narrow, _ := decodetest.Image(t, d, data, image.Spec{})
		wide, report := decodetest.Image(t, d, data, image.Spec{DType: spool.Uint16})
		require.Equal(t, spool.Uint16, report.Desc.DType)
		for i := range narrow {
			sample := int(binary.NativeEndian.Uint16(wide[2*i:]))
			level := (sample*levels + 32767) / 65535
			require.Equal(t, (level*255*2+levels)/(2*levels), int(narrow[i]), "%s: sample %d", name, i)
		}
	}
	_, report := decodetest.Image(t, d, decodetest.ReadFile(t, avifMedia, "444a_12bit.avif"),
		image.Spec{DType: spool.Float32, Color: decode.RGBA,
			Resize: resize.Spec{Width: 10, Height: 10}})
	require.Equal(t, 12, report.Info.Bits)
}

// A crop has the pixels of the whole.
func TestAVIFBoxes(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	for _, name := range []string{"420_limited.avif", "422a_full.avif", "420_10bit.avif"} {
		data := decodetest.ReadFile(t, avifMedia, name)
		whole, report := decodetest.Image(t, d, data, image.Spec{})
		width, height := report.Info.Width, report.Info.Height
		for _, box := range []resize.Rect{{Left: 1, Top: 1, Width: 5, Height: 7},
			{Left: 2, Top: 63, Width: width - 3, Height: height - 70},
			{Left: width - 1, Top: height - 1, Width: 1, Height: 1}} {
			part, _ := decodetest.Image(t, d, data, image.Spec{Resize: resize.Spec{Box: box}})
			for y := range box.Height {
				row := whole[((box.Top+y)*width+box.Left)*3:]
				require.Equal(t, row[:box.Width*3], part[y*box.Width*3:(y+1)*box.Width*3], "%s, box %v, row %d", name, box, y)
			}
		}
	}
}

// A cut file is truncated, and damage in it cannot be accepted.
func TestAVIFCut(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	data := decodetest.ReadFile(t, avifMedia, "420_full.avif")
	for _, n := range []int{20, 100, len(data) / 2, len(data) - 1} {
		for _, accept := range []float64{0, 0.001} {
			_, _, err := d.Images.Decode(ctx, spool.Bytes{Data: data[:n]}, image.Spec{Accept: accept})
			require.ErrorIs(t, err, spool.ErrTruncated, "at %d", n)
		}
	}
}
