package transfer_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/cuda"
	"github.com/spoolmedia/spool/cbridge/cuda/fake"
	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/internal/seed"
	"github.com/spoolmedia/spool/resize"
	"github.com/spoolmedia/spool/transfer"
)

// resizedByHost resizes an image by the kernels of decoders.
func resizedByHost(t *testing.T, pixels []byte, width, height int, s resize.Spec) []byte {
	t.Helper()
	p, err := s.Plan(width, height, nil)
	require.NoError(t, err)
	plan := &kernel.Plan{Width: width, Height: height, Channels: 3, Left: p.Left, Right: p.Right, Top: p.Top,
		H: kernel.Axis(*p.Horizontal), V: kernel.Axis(*p.Vertical), VerticalFirst: p.VerticalFirst,
		CanvasWidth: p.OutWidth, CanvasHeight: p.OutHeight, OutChannels: 3, Layout: spool.HWC}
	out := make([]byte, p.OutWidth*p.OutHeight*3)
	sink, err := kernel.NewSink(plan, out, make([]byte, plan.ScratchBytes()))
	require.NoError(t, err)
	first, last := sink.Wanted()
	_, err = sink.Push(pixels[first*width*3:], width*3, last-first)
	require.NoError(t, err)
	require.NoError(t, sink.Close())
	return mirrored(out, p.OutWidth, p.OutHeight, s.FlipX, s.FlipY)
}

// mirrored returns RGB pixels mirrored left to right and top to bottom.
func mirrored(pixels []byte, width, height int, flipX, flipY bool) []byte {
	out := make([]byte, 0, len(pixels))
	for y := range height {
		if flipY {
			y = height - 1 - y
		}
		for x := range width {
			if flipX {
				x = width - 1 - x
			}
			out = append(out, pixels[3*(y*width+x):][:3]...)
		}
	}
	return out
}

func oneOf[T any](random *rand.Rand, list ...T) T { return list[random.IntN(len(list))] }

func randomSpec(random *rand.Rand) resize.Spec {
	s := resize.Spec{Filter: oneOf(random, resize.Bilinear, resize.Bicubic, resize.Lanczos, resize.Nearest),
		Profile: oneOf(random, resize.Exact, resize.Pillow), FlipX: oneOf(random, true, false),
		FlipY: oneOf(random, true, false)}
	switch random.IntN(4) {
	case 0:
		s.Width, s.Height = 1+random.IntN(60), 1+random.IntN(60)
	case 1:
		s.Width, s.Height, s.Mode = 1+random.IntN(60), 1+random.IntN(60), resize.Cover
	case 2:
		s.Shorter, s.CropWidth, s.CropHeight = 20, 20, 12
	}
	return s
}

// Images that the device resizes have the bytes that decoders make.
func TestFillResized(t *testing.T) {
	random := seed.Rand(t)
	r := newRig(t, transfer.CopierOptions{Slabs: 2}, fake.Settings{DelayMicros: 50})
	d := r.decoder(t, 200_000)
	for range 12 {
		var images []transfer.Resized
		var want [][]byte
		var specs []resize.Spec
		end := 0
		for range 1 + random.IntN(4) {
			width, height := 20+random.IntN(60), 20+random.IntN(60)
			n := width * height * 3
			for i := range n {
				d.host[end+i] = byte(random.Uint32())
			}
			s := randomSpec(random)
			image, err := transfer.NewResized(end, spool.Desc{Shape: spool.Shape{height, width, 3}, Layout: spool.HWC}, s)
			require.NoError(t, err, "%+v", s)
			images, specs = append(images, image), append(specs, s)
			want = append(want, resizedByHost(t, d.host[end:end+n], width, height, s))
			end += (n + 255) / 256 * 256
		}
		released := make(chan struct{})
		b, err := r.copier.FillResized(withTimeout(t), images, func() { close(released) },
			func(memory uint64, s spool.DeviceStream) error {
				return r.theirs.ToDevice(cuda.Pointer(memory), d.host[:end], cuda.Stream(s))
			})
		require.NoError(t, err)
		<-released
		for i := range images {
			got, err := b.Fetch(withTimeout(t), i, r.pool)
			require.NoError(t, err)
			assert.Equal(t, images[i].Result().Shape, b.Arrays()[i].Desc.Shape)
			n, _ := images[i].Result().Bytes()
			assert.True(t, bytes.Equal(want[i], got.Bytes()[:n]), "%v by %+v", images[i].Desc, specs[i])
			got.Release()
			into := make([]byte, n)
			require.NoError(t, b.FetchInto(i, into))
			assert.True(t, bytes.Equal(want[i], into))
			require.ErrorIs(t, b.FetchInto(i, into[1:]), spool.ErrShape)
			require.ErrorIs(t, b.FetchInto(len(images), into), spool.ErrOptions)
		}
		b.Release()
	}
}

func TestFillResizedRefuses(t *testing.T) {
	image := spool.Desc{Shape: spool.Shape{30, 40, 3}, Layout: spool.HWC}
	for _, s := range []resize.Spec{{Width: 20, Height: 20, Mode: resize.Fit},
		{Width: 20, Height: 20, Profile: resize.Fast}} {
		_, err := transfer.NewResized(0, image, s)
		require.ErrorIs(t, err, spool.ErrOptions)
	}
	_, err := transfer.NewResized(0, spool.Desc{Shape: spool.Shape{3, 30, 40}, Layout: spool.CHW}, resize.Spec{})
	require.ErrorIs(t, err, spool.ErrShape)
	onEach(t, func(t *testing.T, r *rig) {
		_, err := r.copier.FillResized(withTimeout(t), nil, func() { t.Error("released on error") }, nil)
		require.ErrorIs(t, err, spool.ErrOptions)
	})
	r := newRig(t, transfer.CopierOptions{Slabs: 1}, fake.Settings{})
	whole, err := transfer.NewResized(0, image, resize.Spec{Width: 10, Height: 10})
	require.NoError(t, err)
	_, err = r.copier.FillResized(withTimeout(t), []transfer.Resized{whole}, func() { t.Error("released on error") },
		func(uint64, spool.DeviceStream) error { return spool.ErrUnsupported })
	require.ErrorIs(t, err, spool.ErrUnsupported)
}

// Frames that a decoder left on the device are converted and then resized, as the host does both.
func TestFramesAreResized(t *testing.T) {
	random := seed.Rand(t)
	r := newRig(t, transfer.CopierOptions{Slabs: 2}, fake.Settings{DelayMicros: 50})
	const width, height, frames = 64, 48, 3
	o := transfer.FramesOptions{Width: width, Height: height, Paired: true, Matrix: 1}
	whole, err := transfer.NewFrames(r.copier, o)
	require.NoError(t, err)
	d := r.decoder(t, width*height*3/2*frames)
	for i := range d.host {
		d.host[i] = byte(random.Uint32())
	}
	require.NoError(t, r.theirs.ToDevice(d.memory, d.host, d.stream))
	planes := make([]transfer.DevicePlanes, frames)
	for i := range planes {
		at := uint64(d.memory) + uint64(i*width*height*3/2)
		planes[i] = transfer.DevicePlanes{Y: at, U: at + width*height, LumaPitch: width, ChromaPitch: width,
			Stream: spool.DeviceStream(d.stream)}
	}
	fetched := func(f *transfer.Frames) (spool.Shape, []byte) {
		b, err := f.Convert(withTimeout(t), planes, func() {})
		require.NoError(t, err)
		defer b.Release()
		got, err := b.Fetch(withTimeout(t), 0, r.pool)
		require.NoError(t, err)
		defer got.Release()
		n, _ := b.Arrays()[0].Desc.Bytes()
		return b.Arrays()[0].Desc.Shape, append([]byte(nil), got.Bytes()[:n]...)
	}
	_, rgb := fetched(whole)
	for range 8 {
		o.Resize = randomSpec(random)
		f, err := transfer.NewFrames(r.copier, o)
		require.NoError(t, err)
		shape, got := fetched(f)
		var want []byte
		for i := range frames {
			want = append(want, resizedByHost(t, rgb[i*width*height*3:][:width*height*3], width, height, o.Resize)...)
		}
		assert.Equal(t, frames, shape[0])
		assert.True(t, bytes.Equal(want, got), "%+v", o.Resize)
	}
	o.DType = spool.Float32
	_, err = transfer.NewFrames(r.copier, o)
	require.ErrorIs(t, err, spool.ErrOptions)
}
