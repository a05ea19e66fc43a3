package vips_test

import (
	"path/filepath"
	"testing"

	floor "github.com/spoolmedia/spool/cbridge/floor/vips"
	"github.com/spoolmedia/spool/cbridge/vips"
	"github.com/spoolmedia/spool/internal/lanetest"
)

func BenchmarkAgainstFloor(b *testing.B) {
	for _, bench := range []struct{ name, file string }{
		{"tiff", "levels-behind.tif"}, {"heic", "collection.heic"}, {"jxl", "rgb8.jxl"},
	} {
		b.Run(bench.name, func(b *testing.B) {
			data := lanetest.Read(b, bench.file)
			format, c := extensions[filepath.Ext(bench.file)[1:]], enter(b)
			h, err := vips.ReadHeader(c, format, data, 0)
			if err != nil {
				b.Fatal(err)
			}
			pixels := make([]byte, h.Width*h.Height*3)
			took := lanetest.Turns(b, [][]byte{data}, "bare", []lanetest.Step[[]byte]{
				{Name: "bare", Run: func(data []byte) error { return floor.Load(format, data) }},
				{Name: "decode", Run: func(data []byte) error {
					_, err := vips.Decode(c, data, h, vips.Options{Pixels: pixels})
					return err
				}},
			})
			b.ReportMetric(took["decode"]/float64(h.Width*h.Height), "ns/pixel")
		})
	}
}
