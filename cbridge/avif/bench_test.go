package avif_test

import (
	"testing"

	"github.com/spoolmedia/spool/cbridge/floor"
	"github.com/spoolmedia/spool/internal/lanetest"
)

func BenchmarkAgainstFloor(b *testing.B) {
	data := lanetest.Read(b, "tiles.avif")
	h := open(b, data).Header()
	dst := make([]byte, h.Width*h.Height*3)
	took := lanetest.Turns(b, [][]byte{data}, "bare-rgb", []lanetest.Step[[]byte]{
		{Name: "bare-rgb", Run: func(data []byte) error { return floor.AVIF(data, dst) }},
		{Name: "bare-planar", Run: floor.AVIFPlanar},
		{Name: "ours", Run: func(data []byte) error { return first(b, data) }},
	})
	b.ReportMetric(took["ours"]/float64(h.Width*h.Height), "ns/pixel")
}
