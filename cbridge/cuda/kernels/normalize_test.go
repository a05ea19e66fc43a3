package kernels_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/cuda"
	"github.com/spoolmedia/spool/cbridge/cuda/kernels"
	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/internal/need"
	"github.com/spoolmedia/spool/internal/seed"
)

var (
	mean = []float32{0.485, 0.456, 0.406}
	std  = []float32{0.229, 0.224, 0.225}
)

func noise(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

func randomScale(r *rand.Rand, channels int) kernels.Scale {
	s := kernels.Scale{DType: pick(r, spool.Float16, spool.BFloat16, spool.Float32)}
	values := func() (list []float32) {
		for range pick(r, 0, 1, channels) {
			list = append(list, pick(r, float32(r.NormFloat64()), 0.5, 1e-6, 3e4)+1e-9)
		}
		return list
	}
	s.Mean, s.Std = values(), values()
	return s
}

func TestNormalize(t *testing.T) {
	random, d := seed.Rand(t), newDevice(t)
	sides := []int{1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 24, 31, 32, 40, 64}
	for i := range 150 {
		n := kernels.Normalize{Samples: 1 + random.IntN(5), Channels: pick(random, 1, 3, 4), Width: pick(random, sides...),
			Height: pick(random, sides...)}
		n.Scale = randomScale(random, n.Channels)
		if random.IntN(2) == 0 {
			for range n.Samples {
				n.Flips = append(n.Flips, kernels.Flip(random.IntN(4)))
			}
		}
		in := noise(random, n.Samples*n.Width*n.Height*n.Channels)
		want := make([]byte, len(in)*n.DType.Size())
		require.NoError(t, n.OnHost(in, want))
		got := d.run(t, in, len(want), pick(random, 0, 0, 1, 4, 8, 13), n.DType.Size()*pick(random, 0, 0, 1, 8),
			func(in, out cuda.Pointer) error {
				return d.Normalize(d.stream, &n, in, out)
			})
		require.True(t, bytes.Equal(want, got), "case %d: %+v", i, n)
	}
}

// A scale whose inverses are not finite takes divisions.
func TestNormalizeDivides(t *testing.T) {
	random, d := seed.Rand(t), newDevice(t)
	for _, dtype := range []spool.DType{spool.Float16, spool.BFloat16, spool.Float32} {
		scale := kernels.Scale{DType: dtype, Mean: []float32{float32(51) / 255}, Std: []float32{1e-39}}
		n := kernels.Normalize{Samples: 2, Channels: 3, Width: 40, Height: 32, Scale: scale}
		in := noise(random, n.Samples*n.Width*n.Height*n.Channels)
		want := make([]byte, len(in)*dtype.Size())
		require.NoError(t, n.OnHost(in, want))
		got := d.run(t, in, len(want), 0, 0, func(in, out cuda.Pointer) error { return d.Normalize(d.stream, &n, in, out) })
		require.True(t, bytes.Equal(want, got), "%v", dtype)

		f := testFrames{Frames: kernels.Frames{Frames: 1, Width: 32, Height: 8, SubX: 2, SubY: 2, Scale: scale}}
		var size int
		f.u, f.v, size = f.Pack()
		f.bytes = noise(random, size)
		want = f.onHost(t)
		got = d.run(t, f.bytes, len(want), 0, 0, func(in, out cuda.Pointer) error {
			return d.Kernels.Frames(d.stream, &f.Frames, in, in+cuda.Pointer(f.u), in+cuda.Pointer(f.v), out)
		})
		require.True(t, bytes.Equal(want, got), "frames, %v", dtype)
	}
}

// More samples than a launch can take, each with its flip.
func TestNormalizeManySamples(t *testing.T) {
	random, d := seed.Rand(t), newDevice(t)
	n := kernels.Normalize{Samples: 4096*2 + 5, Channels: 1, Width: 2, Height: 2,
		Scale: kernels.Scale{DType: spool.Float16}}
	for range n.Samples {
		n.Flips = append(n.Flips, kernels.Flip(random.IntN(4)))
	}
	in := noise(random, n.Samples*4)
	want := make([]byte, 2*len(in))
	require.NoError(t, n.OnHost(in, want))
	got := d.run(t, in, len(want), 0, 0, func(in, out cuda.Pointer) error { return d.Normalize(d.stream, &n, in, out) })
	require.True(t, bytes.Equal(want, got))
}

// The twin equals decoding to floats.
func TestTwinIsTheDecoders(t *testing.T) {
	random := seed.Rand(t)
	for range 50 {
		n := kernels.Normalize{Samples: 1, Channels: pick(random, 1, 3, 4), Width: 1 + random.IntN(40),
			Height: 1 + random.IntN(20), Flips: []kernels.Flip{kernels.Flip(random.IntN(4))}}
		n.Scale = randomScale(random, n.Channels)
		if n.DType == spool.BFloat16 {
			n.DType = spool.Float32
		}
		in := noise(random, n.Width*n.Height*n.Channels)
		got, want := make([]byte, len(in)*n.DType.Size()), make([]byte, len(in)*n.DType.Size())
		require.NoError(t, n.OnHost(in, got))
		plan := &kernel.Plan{Width: n.Width, Height: n.Height, Channels: n.Channels, Right: n.Width,
			H: kernel.Axis{In: n.Width, Out: n.Width}, V: kernel.Axis{In: n.Height, Out: n.Height},
			CanvasWidth: n.Width, CanvasHeight: n.Height, OutChannels: n.Channels, DType: n.DType, Layout: spool.CHW,
			Mean: n.Mean, Std: n.Std,
			FlipX: n.Flips[0]&kernels.FlipX != 0, FlipY: n.Flips[0]&kernels.FlipY != 0}
		sink, err := kernel.NewSink(plan, want, make([]byte, plan.ScratchBytes()))
		require.NoError(t, err)
		_, err = sink.Push(in, n.Width*n.Channels, n.Height)
		require.NoError(t, err)
		require.NoError(t, sink.Close())
		require.True(t, bytes.Equal(want, got), "%+v", n)
	}
}

// bfloat16 is rounded to the nearest value, ties to the value whose last bit is 0.
func TestBFloat16IsTheNearest(t *testing.T) {
	value := func(bits uint16) float64 { return float64(math.Float32frombits(uint32(bits) << 16)) }
	n := kernels.Normalize{Samples: 1, Channels: 1, Width: 256, Height: 1,
		Scale: kernels.Scale{DType: spool.BFloat16, Mean: []float32{0.4}, Std: []float32{0.7}}}
	in, out := make([]byte, 256), make([]byte, 512)
	for i := range in {
		in[i] = byte(i)
	}
	require.NoError(t, n.OnHost(in, out))
	for i := range in {
		want := float64((float32(i)/255 - 0.4) / 0.7)
		bits := binary.NativeEndian.Uint16(out[2*i:])
		off := math.Abs(value(bits) - want)
		for _, other := range []uint16{bits - 1, bits + 1} {
			near := math.Abs(value(other) - want)
			assert.False(t, near < off || near == off && bits%2 == 1, "%d: %#x", i, bits)
		}
	}
}

func TestNormalizeValidates(t *testing.T) {
	n := kernels.Normalize{Samples: 2, Channels: 2, Width: 1 << 16, Height: 1 << 16, Flips: []kernels.Flip{4},
		Scale: kernels.Scale{DType: spool.Uint8, Mean: []float32{1, 2, 3}, Std: []float32{0}}}
	err := n.Validate()
	require.ErrorIs(t, err, spool.ErrOptions)
	for _, part := range []string{"2 channels", "65536x65536", "1 Flips for 2", "Flips[0] of 4", "DType uint8",
		"Mean has 3 values for 2", "Std of 0"} {
		assert.ErrorContains(t, err, part)
	}
	good := kernels.Normalize{Samples: 1, Channels: 3, Width: 1, Height: 1,
		Scale: kernels.Scale{DType: spool.Float32, Mean: mean, Std: std}}
	require.NoError(t, good.Validate())
	require.ErrorIs(t, good.OnHost(make([]byte, 3), make([]byte, 11)), spool.ErrShape)
	good.Std = []float32{float32(math.Inf(1))}
	require.ErrorIs(t, good.Validate(), spool.ErrOptions)
}

// With more than 2^31 elements, the last image is converted as if it were alone.
func TestNormalizeMoreThan31Bits(t *testing.T) {
	need.GPU(t)
	random, d := seed.Rand(t), newDevice(t)
	n := kernels.Normalize{Samples: 750, Channels: 3, Width: 1000, Height: 1000,
		Scale: kernels.Scale{DType: spool.Float16, Mean: mean, Std: std}}
	one := n.Width * n.Height * n.Channels
	require.Greater(t, n.Samples*one, 1<<31)
	from, err := d.Alloc(n.Samples * one)
	require.NoError(t, err)
	defer func() { assert.NoError(t, d.Free(from)) }()
	to, err := d.Alloc(n.Samples * one * 2)
	require.NoError(t, err)
	defer func() { assert.NoError(t, d.Free(to)) }()
	in, got, want := noise(random, one), make([]byte, 2*one), make([]byte, 2*one)
	last := cuda.Pointer((n.Samples - 1) * one)
	require.NoError(t, d.ToDevice(from+last, in, d.stream))
	require.NoError(t, d.Normalize(d.stream, &n, from, to))
	require.NoError(t, d.ToHost(got, to+2*last, d.stream))
	require.NoError(t, d.Finish(d.stream))
	n.Samples = 1
	require.NoError(t, n.OnHost(in, want))
	require.True(t, bytes.Equal(want, got))
}

// Two images of one pixel each, without flips.
func ExampleNormalize() {
	n := kernels.Normalize{Samples: 2, Height: 1, Width: 1, Channels: 3,
		Scale: kernels.Scale{DType: spool.Float32, Mean: []float32{0.5}, Std: []float32{0.5}}}
	out := make([]byte, 2*3*4)
	if err := n.OnHost([]byte{0, 255, 51, 255, 0, 0}, out); err != nil {
		fmt.Println(err)
		return
	}
	for i := range 6 {
		fmt.Print(math.Float32frombits(binary.NativeEndian.Uint32(out[4*i:])), " ")
	}
	// Output: -1 1 -0.6 1 -1 -1
}
