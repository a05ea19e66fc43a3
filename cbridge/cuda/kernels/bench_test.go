package kernels_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/cuda"
	"github.com/spoolmedia/spool/cbridge/cuda/kernels"
	baredevice "github.com/spoolmedia/spool/cbridge/floor/device"
	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/internal/need"
)

// measure launches a kernel repeatedly that reads `in` and writes `out` bytes of device memory. It reports the
// throughput as a share of the memory's bandwidth, and of the throughput of the driver's copy of as many bytes, which
// takes turns with it.
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
	bare, err := baredevice.Load("")
	require.NoError(b, err)
	var copying time.Duration
	floor := func() {
		begin := time.Now()
		for range 2 { // each reads and writes a quarter
			require.NoError(b, bare.Duplicates(d.Context, to, to+cuda.Pointer(out/2), (in+out)/4, (b.N+3)/4, d.stream))
		}
		copying += time.Since(begin)
	}
	require.LessOrEqual(b, (in+out)/4, out/2)
	b.SetBytes(int64(in + out))
	b.ResetTimer()
	for n := range 4 {
		b.StopTimer()
		floor()
		b.StartTimer()
		for range (b.N + n) / 4 {
			require.NoError(b, launch(d, from, to))
		}
		require.NoError(b, d.Finish(d.stream))
	}
	b.StopTimer()
	took := copying.Seconds() / float64(4*((b.N+3)/4)) * float64(b.N)
	b.ReportMetric(took/b.Elapsed().Seconds(), "of-copy")
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
