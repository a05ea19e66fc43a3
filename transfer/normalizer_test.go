package transfer_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/cbridge/cuda"
	"github.com/spoolmedia/spool/cbridge/cuda/fake"
	"github.com/spoolmedia/spool/cbridge/cuda/kernels"
	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/internal/seed"
	"github.com/spoolmedia/spool/transfer"
)

// onEach runs a test on each kind of device. The rig's fake driver is nil on the host and on a real device.
func onEach(t *testing.T, test func(t *testing.T, r *rig)) {
	t.Helper()
	for _, name := range []string{"host", "pinned", "cuda:0"} {
		t.Run(name, func(t *testing.T) {
			r, file := &rig{}, ""
			if !realDevice {
				r.fake = fake.New(t, fake.Settings{DelayMicros: 100})
				file = r.fake.File
			}
			var err error
			r.device, err = transfer.Open(name, transfer.DeviceOptions{Driver: file})
			require.NoError(t, err)
			r.pool, err = spool.NewPool(spool.PoolOptions{Allocator: transfer.NewPinnedMemory(r.device)})
			require.NoError(t, err)
			r.copier, err = transfer.NewCopier(r.device, transfer.CopierOptions{})
			require.NoError(t, err)
			test(t, r)
			require.NoError(t, r.copier.Close())
			require.NoError(t, r.pool.Close())
			require.NoError(t, r.device.Close())
		})
	}
}

// noise returns a batch of samples with random elements.
func (r *rig) noise(t testing.TB, random *rand.Rand, samples int, d spool.Desc) *batch.Batch {
	t.Helper()
	a, err := batch.NewAssembler(batch.AssemblerOptions{Pool: r.pool, Size: samples, Sample: d})
	require.NoError(t, err)
	var out []*batch.Batch
	for i := range samples {
		slot, err := a.Slot(withTimeout(t), 0)
		require.NoError(t, err)
		for k := range slot.Bytes() {
			slot.Bytes()[k] = byte(random.Uint32())
		}
		out = append(out, a.Add(slot, batch.Sample{ID: int64(i)})...)
	}
	require.NoError(t, a.Close())
	require.Len(t, out, 1)
	return out[0]
}

// fetched returns the bytes of a batch, and checks its Desc.
func (r *rig) fetched(t testing.TB, b *transfer.Batch, want spool.Desc) []byte {
	t.Helper()
	got, err := b.Fetch(withTimeout(t), 0, r.pool)
	require.NoError(t, err)
	defer got.Release()
	assert.Equal(t, want, got.Desc())
	return bytes.Clone(got.Bytes())
}

// The kernels take the values of flips.
func TestFlips(t *testing.T) {
	assert.EqualValues(t, kernels.FlipX, transfer.FlipX)
	assert.EqualValues(t, kernels.FlipY, transfer.FlipY)
}

// All devices give the same bytes, and each byte goes over the bus once.
func TestNormalizer(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		random := seed.Rand(t)
		n, err := transfer.NewNormalizer(r.copier,
			transfer.NormalizerOptions{DType: spool.Float16, Mean: []float32{0.485, 0.456, 0.406},
				Std: []float32{0.229, 0.224, 0.225}})
		require.NoError(t, err)
		total := int64(0)
		for i, size := range [][2]int{{8, 16}, {5, 7}, {24, 32}, {1, 1}, {24, 32}} {
			in := r.noise(t, random, 3, spool.Desc{Shape: spool.Shape{size[0], size[1], 3}, Layout: spool.HWC})
			flips := []transfer.Flip{0, transfer.FlipX, transfer.FlipX | transfer.FlipY}
			if i == 2 {
				flips = nil
			}
			twin := kernels.Normalize{Samples: 3, Height: size[0], Width: size[1], Channels: 3, Flips: onKernels(flips),
				Scale: kernels.Scale{DType: spool.Float16, Mean: []float32{0.485, 0.456, 0.406},
					Std: []float32{0.229, 0.224, 0.225}}}
			want := make([]byte, 2*len(in.Bytes()))
			require.NoError(t, twin.OnHost(in.Bytes(), want))
			total += int64(len(in.Bytes()))
			b, err := n.Copy(withTimeout(t), in, flips)
			require.NoError(t, err)
			assert.Len(t, b.Samples, 3)
			got := r.fetched(t, b, spool.Desc{Shape: spool.Shape{3, 3, size[0], size[1]}, DType: spool.Float16,
				Layout: spool.NCHW})
			assert.True(t, bytes.Equal(want, got), "batch %d", i)
			b.Release()
		}
		if r.device.Kind() == transfer.CUDA {
			assert.Equal(t, total, r.copier.Stats().Bytes)
			if r.fake != nil {
				c := r.fake.Counters()
				assert.Equal(t, []int64{5, total, 5}, []int64{c.ToDeviceCopies, c.ToDeviceBytes, c.Launches})
			}
		}
	})
}

// All frames of a clip are mirrored alike.
func TestNormalizerOfClips(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		n, err := transfer.NewNormalizer(r.copier, transfer.NormalizerOptions{DType: spool.BFloat16})
		require.NoError(t, err)
		in := r.noise(t, seed.Rand(t), 2, spool.Desc{Shape: spool.Shape{4, 3, 5, 1}, Layout: spool.NHWC})
		twin := kernels.Normalize{Samples: 8, Height: 3, Width: 5, Channels: 1, Scale: kernels.Scale{DType: spool.BFloat16},
			Flips: []kernels.Flip{0, 0, 0, 0, kernels.FlipX, kernels.FlipX, kernels.FlipX, kernels.FlipX}}
		want := make([]byte, 2*len(in.Bytes()))
		require.NoError(t, twin.OnHost(in.Bytes(), want))
		b, err := n.Copy(withTimeout(t), in, []transfer.Flip{0, transfer.FlipX})
		require.NoError(t, err)
		got := r.fetched(t, b, spool.Desc{Shape: spool.Shape{2, 4, 1, 3, 5}, DType: spool.BFloat16, Layout: spool.NCHW})
		assert.True(t, bytes.Equal(want, got))
		b.Release()
	})
}

func TestFrames(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		random := seed.Rand(t)
		for _, o := range []transfer.FramesOptions{
			{Width: 32, Height: 6, Matrix: 1},
			{Width: 5, Height: 3, Matrix: 2, Full: true, Paired: true},
			{Width: 16, Height: 4, Matrix: 9, Bits: 10, Paired: true, DType: spool.Float16, Mean: []float32{0.5}},
			{Width: 7, Height: 5, Matrix: 6, Bits: 12, SubX: 1, SubY: 1, DType: spool.Float32},
		} {
			matrix, _ := kernel.MatrixOf(o.Matrix)
			twin := kernels.Frames{Frames: 6, Width: o.Width, Height: o.Height, SubX: max(o.SubX, 1), SubY: max(o.SubY, 1),
				Video: kernel.Video{Matrix: matrix, Full: o.Full, Bits: o.Bits}, Scale: kernels.Scale{DType: o.DType, Mean: o.Mean}}
			if o.SubX == 0 {
				twin.SubX, twin.SubY = 2, 2
			}
			if o.Paired {
				twin.Chroma, twin.High = kernel.PairsUV, o.Bits > 8
			}
			u, v, size := twin.Pack()
			planes := spool.Desc{Shape: spool.Shape{3, size}}
			if o.Bits > 8 {
				planes = spool.Desc{Shape: spool.Shape{3, size / 2}, DType: spool.Uint16}
			}
			in := r.noise(t, random, 2, planes)
			want := make([]byte, 6*o.Width*o.Height*3*o.DType.Size())
			require.NoError(t, twin.OnHost(in.Bytes(), in.Bytes()[u:], in.Bytes()[v:], want))

			f, err := transfer.NewFrames(r.copier, o)
			require.NoError(t, err)
			b, err := f.Copy(withTimeout(t), in)
			require.NoError(t, err)
			desc := spool.Desc{Shape: spool.Shape{2, 3, o.Height, o.Width, 3}, Layout: spool.NHWC}
			if o.DType != spool.Uint8 {
				desc = spool.Desc{Shape: spool.Shape{2, 3, 3, o.Height, o.Width}, DType: o.DType, Layout: spool.NCHW}
			}
			assert.True(t, bytes.Equal(want, r.fetched(t, b, desc)), "%+v", o)
			b.Release()
		}
	})
}

// Frames that a decoder leaves on the device are read after the decoder's work, and released once they are read.
func TestFramesOnTheDevice(t *testing.T) {
	r := newRig(t, transfer.CopierOptions{}, fake.Settings{DelayMicros: 200})
	f, err := transfer.NewFrames(r.copier, transfer.FramesOptions{Width: 16, Height: 3, Paired: true, Matrix: 1})
	require.NoError(t, err)
	const pitch, rows = 64, 5 // of luma and of chroma
	random, decoder := seed.Rand(t), r.decoder(t, 2*pitch*rows)
	twin := kernels.Frames{Frames: 2, Width: 16, Height: 3, SubX: 2, SubY: 2,
		Video:     kernel.Video{Matrix: kernel.BT709, Chroma: kernel.PairsUV},
		LumaPitch: pitch, ChromaPitch: pitch, LumaFrame: pitch * rows, ChromaFrame: pitch * rows}
	want := make([]byte, 2*16*3*3)
	for range 5 {
		for i := range decoder.host {
			decoder.host[i] = byte(random.Uint32())
		}
		require.NoError(t, twin.OnHost(decoder.host, decoder.host[3*pitch:], nil, want))
		require.NoError(t, r.theirs.ToDevice(decoder.memory, decoder.host, decoder.stream))
		frames := make([]transfer.DevicePlanes, 2)
		for i := range frames {
			at := uint64(decoder.memory) + uint64(i*pitch*rows)
			frames[i] = transfer.DevicePlanes{Y: at, U: at + 3*pitch, LumaPitch: pitch, ChromaPitch: pitch,
				Stream: spool.DeviceStream(decoder.stream)}
		}
		released := make(chan struct{})
		b, err := f.Convert(withTimeout(t), frames, func() { close(released) })
		require.NoError(t, err)
		<-released // only now may the decoder reuse its memory
		got := r.fetched(t, b, spool.Desc{Shape: spool.Shape{2, 3, 16, 3}, Layout: spool.NHWC})
		assert.True(t, bytes.Equal(want, got))
		b.Release()
	}
	_, err = f.Convert(withTimeout(t), nil, nil)
	require.ErrorIs(t, err, spool.ErrShape)
}

// If any driver call fails during a conversion, the frames either still belong to the caller or are released, and
// nothing leaks.
func TestConvertCanFail(t *testing.T) {
	needsFake(t)
	awaitNoHandles(t)
	f := fake.New(t, fake.Settings{})
	run := func(s fake.Settings) fake.Counters {
		f.Reset(t, s)
		err := convert(t, f.File)
		c := f.Counters()
		require.Zero(t, c.Violations, "%+v: %s, after %s", s, c.Violation, c.FailedCall)
		require.Zero(t, c.InUse(), "%+v: %+v", s, c)
		require.Zero(t, handles(), "%+v", s)
		require.Equal(t, c.FailedCall != "" || s.FailOp > 0 && c.Operations >= int64(s.FailOp), err != nil, "%+v: %s: %v", s,
			c.FailedCall, err)
		return c
	}
	whole := run(fake.Settings{DelayMicros: 50})
	for n := range int(whole.Calls) {
		run(fake.Settings{FailCall: n + 1, DelayMicros: 50})
		run(fake.Settings{FailCall: n + 1, Lost: true})
	}
	for n := range int(whole.Operations) {
		run(fake.Settings{FailOp: n + 1})
	}
}

// convert runs a decoder and returns its first error.
func convert(t testing.TB, driver string) (err error) {
	keep := func(next error) bool {
		err = errors.Join(err, next)
		return next == nil
	}
	d, openErr := transfer.Open("cuda:0", transfer.DeviceOptions{Driver: driver})
	if !keep(openErr) {
		return err
	}
	defer func() { keep(d.Close()) }()
	c, openErr := transfer.NewCopier(d, transfer.CopierOptions{Slabs: 1})
	if !keep(openErr) {
		return err
	}
	defer func() { keep(c.Close()) }()
	loaded, openErr := cuda.Load(driver)
	if !keep(openErr) {
		return err
	}
	theirs, openErr := loaded.Open(0)
	if !keep(openErr) {
		return err
	}
	defer func() { keep(theirs.Close()) }()
	memory, openErr := theirs.Alloc(1000)
	if !keep(openErr) {
		return err
	}
	defer func() { keep(theirs.Free(memory)) }()
	stream, openErr := theirs.NewStream()
	if !keep(openErr) {
		return err
	}
	defer func() { keep(theirs.CloseStream(stream)) }()
	f, openErr := transfer.NewFrames(c, transfer.FramesOptions{Width: 8, Height: 4, Paired: true, Matrix: 1})
	if !keep(openErr) {
		return err
	}
	frame := transfer.DevicePlanes{Y: uint64(memory), U: uint64(memory) + 64, LumaPitch: 16, ChromaPitch: 16,
		Stream: spool.DeviceStream(stream)}
	for range 2 {
		released := make(chan struct{})
		b, convertErr := f.Convert(withTimeout(t), []transfer.DevicePlanes{frame, frame}, func() { close(released) })
		if !keep(convertErr) {
			return err
		}
		keep(b.Wait(withTimeout(t)))
		<-released
		b.Release()
	}
	return err
}

// decoder has memory on both sides and a stream for its work.
type decoder struct {
	host   []byte
	memory cuda.Pointer
	stream cuda.Stream
}

func (r *rig) decoder(t testing.TB, n int) *decoder {
	t.Helper()
	d := &decoder{}
	var err error
	d.host, err = spool.Mmap{}.Alloc(n)
	require.NoError(t, err)
	require.NoError(t, r.theirs.Register(d.host))
	d.memory, err = r.theirs.Alloc(n)
	require.NoError(t, err)
	d.stream, err = r.theirs.NewStream()
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, r.theirs.CloseStream(d.stream))
		require.NoError(t, r.theirs.Free(d.memory))
		require.NoError(t, r.theirs.Unregister(d.host))
		require.NoError(t, spool.Mmap{}.Free(d.host))
	})
	return d
}

// The staging block for bytes grows while earlier batches are on the device.
func TestNormalizerGrows(t *testing.T) {
	needsFake(t)
	r := newRig(t, transfer.CopierOptions{Slabs: 4}, fake.Settings{})
	n, err := transfer.NewNormalizer(r.copier, transfer.NormalizerOptions{DType: spool.Float32})
	require.NoError(t, err)
	r.fake.Hold(0)
	var held []*transfer.Batch
	for i, size := range []int{100, 50, 100} {
		in, err := decodedAs(withTimeout(t), r.pool, i, spool.Desc{Shape: spool.Shape{1, size, 1}, Layout: spool.HWC})
		require.NoError(t, err)
		b, err := n.Copy(withTimeout(t), in, nil)
		require.NoError(t, err)
		held = append(held, b)
	}
	assert.EqualValues(t, 100+4*(100+50+100), r.copier.Stats().SlabBytes)
	grown := make(chan error)
	go func() {
		in, err := decodedAs(context.Background(), r.pool, 3, spool.Desc{Shape: spool.Shape{1, 5000, 1}, Layout: spool.HWC})
		if err == nil {
			var b *transfer.Batch
			if b, err = n.Copy(context.Background(), in, nil); err == nil {
				b.Release()
			}
		}
		grown <- err
	}()
	r.fake.Go()
	require.NoError(t, <-grown)
	for _, b := range held {
		require.NoError(t, b.Wait(withTimeout(t)))
		b.Release()
	}
	assert.EqualValues(t, 5000+4*(100+50+100+5000), r.copier.Stats().SlabBytes)
}

// Fill leaves nothing in flight when the caller's function fails.
func TestFill(t *testing.T) {
	r := newRig(t, transfer.CopierOptions{Slabs: 1}, fake.Settings{DelayMicros: 500})
	d := r.decoder(t, 1000)
	copy(d.host, content(1, 1000))
	parts := []transfer.ArrayAt{{Desc: spool.Desc{Shape: spool.Shape{100}}},
		{Offset: 500, Desc: spool.Desc{Shape: spool.Shape{500}}}}
	queue := func(memory uint64, s spool.DeviceStream) error {
		return r.theirs.ToDevice(cuda.Pointer(memory), d.host, cuda.Stream(s))
	}
	_, err := r.copier.Fill(withTimeout(t), parts, func() { t.Error("released on error") },
		func(memory uint64, s spool.DeviceStream) error {
			require.NoError(t, queue(memory, s))
			return spool.ErrUnsupported
		})
	require.ErrorIs(t, err, spool.ErrUnsupported)
	copy(d.host, content(2, 1000)) // the fake driver detects bytes that change during a copy
	released := make(chan struct{})
	b, err := r.copier.Fill(withTimeout(t), parts, func() { close(released) }, queue)
	require.NoError(t, err)
	<-released
	for i, p := range parts {
		got, err := b.Fetch(withTimeout(t), i, r.pool)
		require.NoError(t, err)
		n, _ := p.Desc.Bytes()
		assert.True(t, bytes.Equal(content(2, 1000)[p.Offset:p.Offset+n], got.Bytes()[:n]))
		got.Release()
	}
	b.Release()
	_, err = r.copier.Fill(withTimeout(t), []transfer.ArrayAt{{Offset: -1, Desc: parts[0].Desc}}, nil, queue)
	require.ErrorIs(t, err, spool.ErrShape)
}

func TestNormalizerRefuses(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		_, err := transfer.NewNormalizer(r.copier,
			transfer.NormalizerOptions{DType: spool.Int16, Mean: []float32{1, 2}, Std: []float32{0, 1, 1}})
		require.ErrorIs(t, err, spool.ErrOptions)
		for _, part := range []string{"DType int16", "Mean has 2 values for 3", "Std of 0"} {
			assert.ErrorContains(t, err, part)
		}
		_, err = transfer.NewFrames(r.copier, transfer.FramesOptions{Bits: 7})
		require.ErrorIs(t, err, spool.ErrOptions)
		assert.ErrorContains(t, err, "Matrix 0")
		assert.ErrorContains(t, err, "Bits of 7")

		n, err := transfer.NewNormalizer(r.copier, transfer.NormalizerOptions{DType: spool.Float32, Mean: []float32{0, 0, 0}})
		require.NoError(t, err)
		f, err := transfer.NewFrames(r.copier, transfer.FramesOptions{Width: 4, Height: 4, Matrix: 1})
		require.NoError(t, err)
		random := seed.Rand(t)
		gray := r.noise(t, random, 2, spool.Desc{Shape: spool.Shape{4, 4, 1}, Layout: spool.HWC})
		for _, flips := range [][]transfer.Flip{nil, {0}, {0, 4}} {
			_, err = n.Copy(withTimeout(t), gray, flips)
			require.ErrorIs(t, err, spool.ErrOptions)
		}
		_, err = f.Copy(withTimeout(t), gray)
		require.ErrorIs(t, err, spool.ErrShape)
		gray.Release()
		planar := r.noise(t, random, 2, spool.Desc{Shape: spool.Shape{3, 4, 4}, Layout: spool.CHW})
		_, err = n.Copy(withTimeout(t), planar, nil)
		require.ErrorIs(t, err, spool.ErrShape)
		planar.Release()
		if r.device.Kind() != transfer.CUDA {
			_, err = r.copier.Fill(withTimeout(t), nil, nil, nil)
			require.ErrorIs(t, err, spool.ErrOptions)
		}
		require.NoError(t, r.copier.Close())
		_, err = transfer.NewNormalizer(r.copier, transfer.NormalizerOptions{DType: spool.Float32})
		require.ErrorIs(t, err, spool.ErrClosed)
	})
}
