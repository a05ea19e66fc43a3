package kernel_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cbridge/kernel"
)

// resizePlan resizes a whole picture to uint8, interleaved.
func resizePlan(w, h, channels, outWidth, outHeight int, f filter) *kernel.Plan {
	return &kernel.Plan{
		Width: w, Height: h, Channels: channels, Right: w,
		H: makeAxis(w, outWidth, f), V: makeAxis(h, outHeight, f),
		CanvasWidth: outWidth, CanvasHeight: outHeight, OutChannels: channels, Layout: 1,
	}
}

func BenchmarkPush(b *testing.B) {
	for _, size := range [][4]int{{500, 375, 224, 224}, {4000, 3000, 224, 224}} {
		for level := range kernel.Levels {
			b.Run(fmt.Sprintf("%dx%d-%dx%d/%s", size[0], size[1], size[2], size[3], kernel.LevelName(level)), func(b *testing.B) {
				p := resizePlan(size[0], size[1], 3, size[2], size[3], bilinear)
				picture := make([]byte, p.Width*p.Height*3)
				dst, scratch := make([]byte, size[2]*size[3]*3), make([]byte, p.ScratchBytes())
				for b.Loop() {
					s, err := kernel.NewSinkAt(p, dst, scratch, level)
					require.NoError(b, err)
					stride := p.Width * 3
					for y := 0; y < p.Height; y += 16 {
						_, err := s.Push(picture[y*stride:], stride, min(16, p.Height-y))
						require.NoError(b, err)
					}
					require.NoError(b, s.Close())
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(p.Width*p.Height), "ns/pixel")
			})
		}
	}
}
