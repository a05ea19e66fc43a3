package gif_test

import (
	"testing"

	"github.com/spoolmedia/spool/cbridge/floor"
	"github.com/spoolmedia/spool/cbridge/gif"
	"github.com/spoolmedia/spool/internal/lanetest"
)

func BenchmarkAgainstFloor(b *testing.B) {
	for _, name := range []string{"noise.gif", "vga.gif"} {
		b.Run(name, func(b *testing.B) {
			data := lanetest.Read(b, name)
			h, err := gif.ReadHeader(data)
			if err != nil {
				b.Fatal(err)
			}
			dst := make([]byte, h.Width*h.Height*3)
			took := lanetest.Turns(b, [][]byte{data}, "giflib", []lanetest.Step[[]byte]{
				{Name: "giflib", Run: func(data []byte) error { return floor.GIF(data, dst) }},
				{Name: "ours", Run: func(data []byte) error { _, _, err := first(b, data, 3); return err }},
				{Name: "header", Run: func(data []byte) error { _, err := gif.ReadHeader(data); return err }},
			})
			b.ReportMetric(took["ours"]/float64(h.Width*h.Height), "ns/pixel")
			b.ReportMetric(took["header"]/float64(len(data)), "header-ns/byte")
		})
	}
}
