package kernels_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/cuda"
	"github.com/spoolmedia/spool/cbridge/cuda/kernels"
	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/internal/need"
)

// measure launches a kernel repeatedly that reads `in` and writes `out` bytes of device memory. It reports the
// throughput as a share of the memory's bandwidth.
func measure(b *testing.B, in, out int, launch func(d *device, in, out cuda.Pointer) error) {
	need.GPU(b)
	d := newDevice(b)
	driver, err := cuda.Load("")
	require.NoError(b, err)
	of, err := driver.Device(0)
	require.NoError(b, err)
	from, err := d.Alloc(in)
	require.NoError(b, err)
	to, err := d.Alloc(out)
	require.NoError(b, err)
	some := noise(rand.New(rand.NewPCG(1, 2)), 1<<20) // random bytes are the worst case for table lookups
	for at := 0; at < in; at += len(some) {
		require.NoError(b, d.ToDevice(from+cuda.Pointer(at), some[:min(len(some), in-at)], d.stream))
	}
	require.NoError(b, d.Finish(d.stream))
	require.NoError(b, launch(d, from, to)) // the first launch waits until the code is loaded
	require.NoError(b, d.Finish(d.stream))
	b.SetBytes(int64(in + out))
	b.ResetTimer()
	for range b.N {
		require.NoError(b, launch(d, from, to))
	}
	require.NoError(b, d.Finish(d.stream))
	b.StopTimer()
	rate := float64(in+out) * float64(b.N) / b.Elapsed().Seconds()
	if of.Bandwidth > 0 {
		b.ReportMetric(rate/float64(of.Bandwidth), "of-memory")
	}
	require.NoError(b, d.Free(from))
	require.NoError(b, d.Free(to))
}

// Batches of 1024, larger than a device's cache. Rows of 223 pixels are not a multiple of a unit.
func BenchmarkNormalize(b *testing.B) {
	for _, c := range []struct {
		name    string
		side    int
		dtype   spool.DType
		flipped bool
	}{
		{"float16", 224, spool.Float16, false}, {"float16-flipped", 224, spool.Float16, true},
		{"bfloat16", 224, spool.BFloat16, false},
		{"float32", 224, spool.Float32, false}, {"float16-odd", 223, spool.Float16, false},
	} {
		b.Run(c.name, func(b *testing.B) {
			n := &kernels.Normalize{Samples: 1024, Height: c.side, Width: c.side, Channels: 3,
				Scale: kernels.Scale{DType: c.dtype, Mean: mean, Std: std}}
			for i := range n.Samples {
				if c.flipped {
					n.Flips = append(n.Flips, kernels.Flip(i%2))
				}
			}
			in := n.Samples * c.side * c.side * 3
			measure(b, in, in*c.dtype.Size(),
				func(d *device, in, out cuda.Pointer) error { return d.Normalize(d.stream, n, in, out) })
		})
	}
}

// 128 frames of 1080p.
func BenchmarkFrames(b *testing.B) {
	for _, c := range []struct {
		name  string
		bits  int
		dtype spool.DType
	}{{"nv12-uint8", 8, spool.Uint8}, {"nv12-float16", 8, spool.Float16}, {"p010-uint8", 10, spool.Uint8}} {
		b.Run(c.name, func(b *testing.B) {
			f := &kernels.Frames{Frames: 128, Height: 1080, Width: 1920, SubX: 2, SubY: 2, Scale: kernels.Scale{DType: c.dtype},
				Video: kernel.Video{Matrix: kernel.BT709, Bits: c.bits, High: c.bits > 8, Chroma: kernel.PairsUV}}
			u, _, size := f.Pack()
			measure(b, f.Frames*size, f.Frames*f.Height*f.Width*3*c.dtype.Size(), func(d *device, in, out cuda.Pointer) error {
				return d.Kernels.Frames(d.stream, f, in, in+cuda.Pointer(u), 0, out)
			})
		})
	}
}

// The same on the host: a batch of 32 on one core.
func BenchmarkNormalizeOnHost(b *testing.B) {
	n := &kernels.Normalize{Samples: 32, Height: 224, Width: 224, Channels: 3,
		Scale: kernels.Scale{DType: spool.Float16, Mean: mean, Std: std}}
	in := make([]byte, n.Samples*n.Height*n.Width*n.Channels)
	out := make([]byte, 2*len(in))
	b.SetBytes(int64(len(in) + len(out)))
	for range b.N {
		require.NoError(b, n.OnHost(in, out))
	}
}

// The same on the host: a frame of 1080p on one core.
func BenchmarkFramesOnHost(b *testing.B) {
	f := &kernels.Frames{Frames: 1, Height: 1080, Width: 1920, SubX: 2, SubY: 2, Video: kernel.Video{Matrix: kernel.BT709}}
	u, v, size := f.Pack()
	planes := noise(rand.New(rand.NewPCG(1, 2)), size)
	out := make([]byte, f.Height*f.Width*3)
	b.SetBytes(int64(len(planes) + len(out)))
	for range b.N {
		require.NoError(b, f.OnHost(planes, planes[u:], planes[v:], out))
	}
}
