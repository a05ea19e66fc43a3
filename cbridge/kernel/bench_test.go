package kernel_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/kernel"
)

// resizePlan resizes a whole image to interleaved uint8. An axis that keeps its size is not resized.
func resizePlan(width, height, channels, outWidth, outHeight int, f filter) *kernel.Plan {
	p := &kernel.Plan{
		Width: width, Height: height, Channels: channels, Right: width,
		H: kernel.Axis{In: width, Out: width}, V: kernel.Axis{In: height, Out: height},
		CanvasWidth: outWidth, CanvasHeight: outHeight, OutChannels: channels, Layout: spool.HWC,
	}
	if width != outWidth {
		p.H = makeAxis(width, outWidth, f)
	}
	if height != outHeight {
		p.V = makeAxis(height, outHeight, f)
	}
	return p
}

// inTurn runs a step with the kernels of one level after the other, and reports the least time of each, in nanoseconds
// a pixel. Other work of the machine affects all levels alike, and rarely interrupts the fastest of many short runs.
func inTurn(b *testing.B, levels, pixels int, step func(level int)) {
	least := slices.Repeat([]time.Duration{time.Hour}, levels)
	for b.Loop() {
		for level := range least {
			start := time.Now()
			step(level)
			least[level] = min(least[level], time.Since(start))
		}
	}
	for level, t := range least {
		b.ReportMetric(float64(t.Nanoseconds())/float64(pixels), kernel.LevelName(level)+"-ns/pixel")
	}
	b.ReportMetric(0, "ns/op")
}

// benchmark pushes an image with the kernels of every level. It pushes 16 lent rows at a time: these rows are in the
// cache, as if a decoder had just written them.
func benchmark(b *testing.B, name string, p *kernel.Plan) {
	b.Run(name, func(b *testing.B) {
		dst := make([]byte, p.CanvasWidth*p.CanvasHeight*p.OutChannels*p.DType.Size())
		scratch := make([]byte, p.ScratchBytes())
		inTurn(b, kernel.Levels, p.Width*p.Height, func(level int) {
			s, err := kernel.NewSinkAt(p, dst, scratch, level)
			require.NoError(b, err)
			for enough := false; !enough; {
				memory, stride, rows := s.Lend()
				enough, err = s.Push(memory, stride, rows)
				require.NoError(b, err)
			}
			require.NoError(b, s.Close())
		})
	})
}

// BenchmarkResize resizes whole images to the size of the main workload.
func BenchmarkResize(b *testing.B) {
	for _, size := range [][2]int{{500, 375}, {4000, 3000}, {100, 75}} {
		benchmark(b, fmt.Sprintf("%dx%d-224x224", size[0], size[1]), resizePlan(size[0], size[1], 3, 224, 224, bilinear))
	}
	benchmark(b, "bicubic-500x375-224x224", resizePlan(500, 375, 3, 224, 224, bicubic))
}

// BenchmarkKernel measures each kernel alone, as far as a plan can select it.
func BenchmarkKernel(b *testing.B) {
	for _, channels := range []int{1, 3, 4} {
		benchmark(b, fmt.Sprintf("horizontal-%d-short", channels), resizePlan(500, 375, channels, 224, 375, bilinear))
		benchmark(b, fmt.Sprintf("horizontal-%d-long", channels), resizePlan(4000, 375, channels, 224, 375, bilinear))
	}
	benchmark(b, "vertical-short", resizePlan(224, 375, 3, 224, 224, bilinear))
	benchmark(b, "vertical-long", resizePlan(224, 3000, 3, 224, 224, bilinear))

	same := func(channels, out int, change func(p *kernel.Plan)) *kernel.Plan {
		p := resizePlan(500, 375, channels, 500, 375, bilinear)
		p.OutChannels = out
		change(p)
		return p
	}
	benchmark(b, "store-swap", same(3, 3, func(p *kernel.Plan) { p.Swap = true }))
	benchmark(b, "store-planar", same(3, 3, func(p *kernel.Plan) { p.Layout = spool.CHW }))
	benchmark(b, "store-gray-to-rgb", same(1, 3, func(*kernel.Plan) {}))
	benchmark(b, "store-float32", same(3, 3, func(p *kernel.Plan) { p.DType = spool.Float32 }))
	benchmark(b, "store-float32-planar", same(3, 3, func(p *kernel.Plan) { p.DType, p.Layout = spool.Float32, spool.CHW }))
	benchmark(b, "store-float16", same(3, 3, func(p *kernel.Plan) { p.DType = spool.Float16 }))
	benchmark(b, "intake-drop-alpha", same(4, 3, func(p *kernel.Plan) { p.Intake = kernel.DropAlpha }))
	benchmark(b, "intake-blend", same(4, 3, func(p *kernel.Plan) { p.Intake = kernel.Blend }))
	benchmark(b, "intake-gray", same(3, 1, func(p *kernel.Plan) { p.Gray = true }))
}

// BenchmarkNewSink measures the cost of a sink before its first row.
func BenchmarkNewSink(b *testing.B) {
	p := resizePlan(500, 375, 3, 224, 224, bilinear)
	dst, scratch := make([]byte, 224*224*3), make([]byte, p.ScratchBytes())
	b.ReportAllocs()
	for b.Loop() {
		s, err := kernel.NewSink(p, dst, scratch)
		require.NoError(b, err)
		require.NoError(b, s.Close())
	}
}
