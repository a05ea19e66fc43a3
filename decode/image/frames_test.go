package image_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/decodetest"
	"github.com/spoolmedia/spool/resize"
)

// All frames, a range and single ones are the same frames, in the pool's memory and in the caller's.
func TestFrames(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	for _, name := range []string{"anim.gif", "anim.webp", "disposal.gif", "disposal.png", "disposal.webp",
		"multipage.tiff", "rgb.png", "s420.jpg"} {
		t.Run(name, func(t *testing.T) {
			data := decodetest.ReadFile(t, media, "hard/good", name)
			info, err := image.Probe(ctx, spool.Bytes{Data: data}, decode.Limits{})
			require.NoError(t, err)
			n := info.Frames
			spec := image.Spec{Layout: spool.CHW}
			all, report, err := d.Images.DecodeFrames(ctx, spool.Bytes{Data: data}, spec, 0)
			require.NoError(t, err)
			defer all.Release()
			require.Equal(t, spool.Shape{n, 3, info.Height, info.Width}, report.Desc.Shape)
			require.Equal(t, spool.NCHW, report.Desc.Layout)
			require.Equal(t, report.Desc, all.Desc())
			require.InDelta(t, 1, report.Fraction, 0)
			size := all.Len() / n
			for k := range n {
				spec.Frame = k
				one, report := decodetest.Image(t, d, data, spec)
				require.Equal(t, k, report.Info.Frame)
				require.Equal(t, one, all.Bytes()[k*size:][:size], "frame %d", k)
				rest := make([]byte, (n-k)*size)
				_, err := d.Images.DecodeFramesInto(ctx, spool.Bytes{Data: data}, rest, spec, n-k)
				require.NoError(t, err)
				require.Equal(t, all.Bytes()[k*size:], rest, "from frame %d on", k)
			}
			_, err = d.Images.DecodeFramesInto(ctx, spool.Bytes{Data: data}, make([]byte, size+1), spec, 1)
			require.ErrorIs(t, err, spool.ErrShape)
			_, _, err = d.Images.DecodeFrames(ctx, spool.Bytes{Data: data}, spec, -1)
			require.ErrorIs(t, err, spool.ErrOptions)
			spec.Frame = n
			_, _, err = d.Images.Decode(ctx, spool.Bytes{Data: data}, spec)
			require.ErrorIs(t, err, spool.ErrNoSuchFrame)
			require.ErrorContains(t, err, strconv.Itoa(n))
			_, _, err = d.Images.DecodeFrames(ctx, spool.Bytes{Data: data}, spec, 0)
			require.ErrorIs(t, err, spool.ErrNoSuchFrame)
			spec.Frame = 0
			_, _, err = d.Images.DecodeFrames(ctx, spool.Bytes{Data: data}, spec, n+1)
			require.ErrorIs(t, err, spool.ErrNoSuchFrame)
		})
	}
}

// Frames and pages are the same as Pillow's, transparency included.
func TestFramesArePillows(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	compared := 0
	for name, want := range readExpected(t, media, "expected.json") {
		data := []byte(nil)
		for k, sum := range want.Frames {
			if data == nil {
				data = decodetest.ReadFile(t, media, name)
			}
			got, _ := decodetest.Image(t, d, data, image.Spec{Frame: k, Color: decode.RGBA})
			require.Equal(t, sum, digest(got), "%s, frame %d", name, k)
			compared++
		}
	}
	require.GreaterOrEqual(t, compared, 30)
}

// Pages of different sizes fit into one array only if the spec resizes them to one size.
func TestPagesOfDifferentSizes(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	data := decodetest.ReadFile(t, media, "hard/good/pages.tiff")
	_, _, err := d.Images.DecodeFrames(ctx, spool.Bytes{Data: data}, image.Spec{}, 0)
	require.ErrorIs(t, err, spool.ErrUnsupported)
	require.ErrorContains(t, err, "page 0 is of [47 61 3], page 1 of [33 20 3]")
	spec := image.Spec{Resize: resize.Spec{Width: 16, Height: 9}, Color: decode.Gray}
	all, report, err := d.Images.DecodeFrames(ctx, spool.Bytes{Data: data}, spec, 2)
	require.NoError(t, err)
	defer all.Release()
	require.Equal(t, spool.Shape{2, 9, 16, 1}, report.Desc.Shape)
	spec.Frame = 1
	second, _ := decodetest.Image(t, d, data, spec)
	require.Equal(t, second, all.Bytes()[9*16:])
}

func TestMaxFrames(t *testing.T) {
	d := decodetest.New(t, decoders.Options{Limits: decode.Limits{MaxFrames: 3}})
	data := decodetest.ReadFile(t, media, "hard/good/anim.gif")
	_, _, err := d.Images.DecodeFrames(ctx, spool.Bytes{Data: data}, image.Spec{}, 0)
	require.ErrorIs(t, err, spool.ErrTooLarge)
	require.ErrorContains(t, err, "5 frames, the limit is 3")
	_, _, err = d.Images.Decode(ctx, spool.Bytes{Data: data}, image.Spec{Frame: 3})
	require.ErrorIs(t, err, spool.ErrTooLarge)
	_, _, err = d.Images.Decode(ctx, spool.Bytes{Data: data}, image.Spec{Frame: 5})
	require.ErrorIs(t, err, spool.ErrNoSuchFrame, "that the file has no such frame comes first")
	three, _, err := d.Images.DecodeFrames(ctx, spool.Bytes{Data: data}, image.Spec{}, 3)
	require.NoError(t, err)
	three.Release()
	_, err = image.Probe(ctx, spool.Bytes{Data: data}, decode.Limits{MaxFrames: 3})
	require.NoError(t, err)
}

// A truncated animation is accepted by the fraction of all its frames, and the lost frames are filled.
func TestAcceptDamagedFrames(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	for _, name := range []string{"anim.gif", "disposal.png"} {
		data := decodetest.ReadFile(t, media, "hard/good", name)
		whole, _, err := d.Images.DecodeFrames(ctx, spool.Bytes{Data: data}, image.Spec{}, 0)
		require.NoError(t, err)
		defer whole.Release()
		cut := data[:len(data)*7/10]
		info, err := image.Probe(ctx, spool.Bytes{Data: cut}, decode.Limits{})
		require.NoError(t, err)
		frame := whole.Len() / whole.Desc().Shape[0]
		dst := make([]byte, info.Frames*frame) // a GIF does not contain its number of frames
		_, err = d.Images.DecodeFramesInto(ctx, spool.Bytes{Data: cut}, dst, image.Spec{}, info.Frames)
		require.Error(t, err, name)
		spec := image.Spec{Accept: 0.4, Fill: &decode.RGB8{R: 9, G: 8, B: 7}}
		report, err := d.Images.DecodeFramesInto(ctx, spool.Bytes{Data: cut}, dst, spec, info.Frames)
		require.NoError(t, err, name)
		require.True(t, report.Damaged)
		require.Positive(t, report.Warnings)
		require.Greater(t, report.Fraction, 0.4, name)
		require.Less(t, report.Fraction, 0.9, name)
		require.Equal(t, whole.Bytes()[:2*frame], dst[:2*frame], name)
		require.Equal(t, []byte{9, 8, 7, 9, 8, 7}, dst[len(dst)-6:], name)
		spec.Accept = 0.95
		_, err = d.Images.DecodeFramesInto(ctx, spool.Bytes{Data: cut}, dst, spec, info.Frames)
		require.Error(t, err, name)
	}
}
