package image_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"image"
	"image/png"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	spoolimage "github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/decodetest"
)

const pngMedia = "../../cbridge/png/testdata"

type pngGolden struct {
	Width, Height    int
	RGB, RGB16, RGBA string
	Frames           []string // RGBA
}

func pngGoldens(t *testing.T) map[string]pngGolden {
	t.Helper()
	var file struct{ Files map[string]pngGolden }
	require.NoError(t, json.Unmarshal(decodetest.ReadFile(t, pngMedia, "golden.json"), &file))
	require.NotEmpty(t, file.Files)
	return file.Files
}

func TestPNGIsTorchvisionsAndPillows(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	for name, want := range pngGoldens(t) {
		data := decodetest.ReadFile(t, pngMedia, name)
		rgb, report := decodetest.Image(t, d, data, spoolimage.Spec{Stored: true})
		require.Equal(t, want.RGB, digest(rgb), name)
		require.Equal(t, "png", report.Trace.Lane)
		if want.RGBA != "" {
			rgba, _ := decodetest.Image(t, d, data, spoolimage.Spec{Color: decode.RGBA, Stored: true})
			require.Equal(t, want.RGBA, digest(rgba), name)
		}
		if want.RGB16 != "" && len(want.Frames) == 0 {
			wide, _ := decodetest.Image(t, d, data, spoolimage.Spec{DType: spool.Uint16})
			require.Equal(t, want.RGB16, digest(wide), name)
		}
	}
}

func TestPNGFramesArePillows(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	compared := 0
	for name, want := range pngGoldens(t) {
		if len(want.Frames) == 0 {
			continue
		}
		data := decodetest.ReadFile(t, pngMedia, name)
		spec := spoolimage.Spec{Color: decode.RGBA}
		all, report, err := d.Images.DecodeFrames(ctx, spool.Bytes{Data: data}, spec, 0)
		require.NoError(t, err, name)
		require.Equal(t, spool.Shape{len(want.Frames), want.Height, want.Width, 4}, report.Desc.Shape, name)
		size := all.Len() / len(want.Frames)
		for k, frame := range want.Frames {
			require.Equal(t, frame, digest(all.Bytes()[k*size:][:size]), "%s, frame %d of all", name, k)
			spec.Frame = k
			one, _ := decodetest.Image(t, d, data, spec)
			require.Equal(t, frame, digest(one), "%s, frame %d", name, k)
			compared++
		}
		for _, other := range []spoolimage.Spec{{}, {Color: decode.Gray}, {Alpha: spoolimage.BlendAlpha},
			{Color: decode.Gray, Alpha: spoolimage.BlendAlpha}} {
			other.DType = spool.Float32
			whole, report, err := d.Images.DecodeFrames(ctx, spool.Bytes{Data: data}, other, 0)
			require.NoError(t, err, "%s: %+v", name, other)
			require.Equal(t, len(want.Frames), report.Desc.Shape[0], name)
			if other.Color == decode.RGB && other.Alpha == spoolimage.DropAlpha {
				requireWithoutAlpha(t, all.Bytes(), whole.Bytes(), name)
			}
			whole.Release()
		}
		all.Release()
		spec.Frame = len(want.Frames)
		_, _, err = d.Images.Decode(ctx, spool.Bytes{Data: data}, spec)
		require.ErrorIs(t, err, spool.ErrNoSuchFrame)
	}
	require.Greater(t, compared, 250)
}

// requireWithoutAlpha compares RGB floats with RGBA bytes.
func requireWithoutAlpha(t *testing.T, rgba, rgb []byte, name string) {
	t.Helper()
	for at := 0; 4*at < len(rgba); at++ {
		for k := range 3 {
			x := math.Float32frombits(binary.NativeEndian.Uint32(rgb[4*(3*at+k):]))
			require.Equal(t, rgba[4*at+k], byte(math.Round(float64(x)*255)), name)
		}
	}
}

// The eXIf chunk's orientation is applied as in torchvision.
func TestPNGOrientation(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	data := decodetest.ReadFile(t, pngMedia, "chunks.png")
	stored, _ := decodetest.Image(t, d, data, spoolimage.Spec{Stored: true})
	turned, report := decodetest.Image(t, d, data, spoolimage.Spec{})
	assert.Equal(t, 6, report.Info.Orientation)
	require.Equal(t, spool.Shape{33, 21, 3}, report.Desc.Shape)
	for y := range 33 {
		for x := range 21 { // a quarter turn clockwise
			require.Equal(t, stored[((20-x)*33+y)*3:][:3], turned[(y*21+x)*3:][:3])
		}
	}
}

// Gray, alpha and 16 bits in all combinations, by the plain formulas.
func TestPNGSamples(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	data := decodetest.ReadFile(t, pngMedia, "ga16.png")
	wide, _ := decodetest.Image(t, d, data, spoolimage.Spec{DType: spool.Uint16, Color: decode.RGBA})
	gray, _ := decodetest.Image(t, d, data, spoolimage.Spec{DType: spool.Uint16, Color: decode.Gray})
	narrow, _ := decodetest.Image(t, d, data, spoolimage.Spec{Color: decode.RGBA})
	blended := spoolimage.Spec{Alpha: spoolimage.BlendAlpha, Over: decode.RGB8{R: 200, G: 100}}
	over, _ := decodetest.Image(t, d, data, blended)
	for i := range 33 * 21 {
		sample, alpha := binary.NativeEndian.Uint16(wide[8*i:]), binary.NativeEndian.Uint16(wide[8*i+6:])
		require.Equal(t, sample, binary.NativeEndian.Uint16(gray[2*i:]))
		require.Equal(t, []byte{byte(sample >> 8), byte(sample >> 8), byte(sample >> 8), byte(alpha >> 8)}, narrow[4*i:][:4])
		s, a := int(narrow[4*i]), int(narrow[4*i+3])
		require.InDelta(t, float64(s*a+200*(255-a))/255, over[3*i], 0.51)
		require.InDelta(t, float64(s*a)/255, over[3*i+2], 0.51)
	}
}

func TestPNGCut(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	data := decodetest.ReadFile(t, pngMedia, "rgb8.png")
	whole, report := decodetest.Image(t, d, data, spoolimage.Spec{})
	require.Equal(t, "own", report.Trace.Engine)
	cut := data[:len(data)*2/3]
	_, _, err := d.Images.Decode(ctx, spool.Bytes{Data: cut}, spoolimage.Spec{Accept: 0.9})
	require.ErrorIs(t, err, spool.ErrTruncated)
	got, report := decodetest.Image(t, d, cut, spoolimage.Spec{Accept: 0.3, Fill: &decode.RGB8{R: 1, G: 2, B: 3}})
	require.True(t, report.Damaged)
	require.Equal(t, "libpng", report.Trace.Engine)
	require.Positive(t, report.Warnings)
	rows, stride := int(report.Fraction*21+0.5), 33*3
	require.Equal(t, whole[:rows*stride], got[:rows*stride])
	require.Equal(t, []byte{1, 2, 3}, got[rows*stride:][:3])
}

// A header that declares a billion pixels is refused, or read in a few rows.
func TestPNGPromises(t *testing.T) {
	d := decodetest.New(t, decoders.Options{Limits: decode.Limits{MaxMemory: 32 << 20}})
	_, _, err := d.Images.Decode(ctx, spool.Bytes{Data: decodetest.ReadFile(t, media, "hard/bad/bomb.png")},
		spoolimage.Spec{})
	require.ErrorIs(t, err, spool.ErrTooLarge)
}

// An image too large for one buffer besides the result is read row by row, with the same pixels.
func TestPNGTakesWhatIsLeftOfTheMemory(t *testing.T) {
	var file bytes.Buffer
	require.NoError(t, png.Encode(&file, image.NewNRGBA(image.Rect(0, 0, 400, 300))))
	data := file.Bytes()
	want, report := decodetest.Image(t, decodetest.New(t, decoders.Options{}), data, spoolimage.Spec{})
	require.Equal(t, "own", report.Trace.Engine)
	limit := int64(len(want)) + report.Trace.Scratch + 200<<10
	got, report := decodetest.Image(t, decodetest.New(t, decoders.Options{Limits: decode.Limits{MaxMemory: limit}}), data,
		spoolimage.Spec{})
	require.Equal(t, "libpng", report.Trace.Engine)
	require.Equal(t, want, got)
}
