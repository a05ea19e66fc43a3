package image_test

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/decodetest"
	"github.com/spoolmedia/spool/resize"
)

func TestGIFIsPillows(t *testing.T) { compareFrames(t, gifMedia, "gif") }

// A first frame has torchvision's pixels, with or without later frames; later frames have Pillow's.
func TestGIFFirstFrameIsTorchvisions(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	compared, apart := 0, 0
	for name, want := range laneGoldens(t, gifMedia) {
		if want.Torchvision == "" {
			continue
		}
		data := decodetest.ReadFile(t, gifMedia, name)
		for _, profile := range []resize.Profile{resize.Exact, resize.Fast} {
			spec := image.Spec{Resize: resize.Spec{Profile: profile}}
			first, _ := decodetest.Image(t, d, data, spec)
			require.Equal(t, want.Torchvision, digest(first), name)
			all, _, err := d.Images.DecodeFrames(ctx, spool.Bytes{Data: data}, spec, 0)
			require.NoError(t, err)
			size := all.Len() / len(want.Frames)
			require.Equal(t, want.Torchvision, digest(all.Bytes()[:size]), name)
			for k, frame := range want.Frames[1:] {
				require.Equal(t, frame.RGB, digest(all.Bytes()[(k+1)*size:][:size]), "%s, frame %d", name, k+1)
			}
			all.Release()
		}
		compared++
		if want.Torchvision != want.Frames[0].RGB {
			apart++
		}
	}
	require.Greater(t, compared, 70)
	require.Greater(t, apart, 20)
}

// The canvas has the size in the file, also where libnsgif takes the size for an error of the encoder.
func TestGIFCanvas(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	data := decodetest.ReadFile(t, gifMedia, "vga.gif")
	for _, size := range [][2]int{{640, 480}, {800, 600}, {2049, 30}, {30, 3000}} {
		binary.LittleEndian.PutUint16(data[6:], uint16(size[0]))
		binary.LittleEndian.PutUint16(data[8:], uint16(size[1]))
		info, err := image.Probe(ctx, spool.Bytes{Data: data}, decode.Limits{})
		require.NoError(t, err)
		require.Equal(t, size[0], info.Width)
		require.Equal(t, size[1], info.Height)
		_, report := decodetest.Image(t, d, data, image.Spec{})
		require.Equal(t, spool.Shape{size[1], size[0], 3}, report.Desc.Shape)
	}
}

// The rows above a cut are kept; the others are filled.
func TestGIFCut(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	data := decodetest.ReadFile(t, gifMedia, "noise.gif")
	whole, _ := decodetest.Image(t, d, data, image.Spec{})
	cut := data[:len(data)*2/3]
	_, _, err := d.Images.Decode(ctx, spool.Bytes{Data: cut}, image.Spec{})
	require.ErrorIs(t, err, spool.ErrTruncated)
	_, _, err = d.Images.Decode(ctx, spool.Bytes{Data: cut}, image.Spec{Accept: 0.9})
	require.ErrorIs(t, err, spool.ErrTruncated)
	got, report := decodetest.Image(t, d, cut, image.Spec{Accept: 0.5, Fill: &decode.RGB8{R: 1, G: 2, B: 3}})
	require.True(t, report.Damaged)
	require.InDelta(t, 0.65, report.Fraction, 0.05)
	rows := int(report.Fraction * float64(report.Info.Height))
	stride := report.Info.Width * 3
	require.Equal(t, whole[:rows*stride], got[:rows*stride])
	require.Equal(t, []byte{1, 2, 3}, got[(rows+1)*stride:][:3])
}

// A small file with large declared sizes is too large, or decodes at little cost.
func TestGIFPromises(t *testing.T) {
	d := decodetest.New(t, decoders.Options{Limits: decode.Limits{MaxPixels: -1, MaxMemory: 1 << 30}})
	data := decodetest.ReadFile(t, gifMedia, "vga.gif")
	binary.LittleEndian.PutUint16(data[6:], 65535)
	binary.LittleEndian.PutUint16(data[8:], 65535)
	_, _, err := d.Images.Decode(ctx, spool.Bytes{Data: data}, image.Spec{})
	require.ErrorIs(t, err, spool.ErrTooLarge)
}
