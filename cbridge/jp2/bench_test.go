package jp2_test

import (
	"testing"

	"github.com/spoolmedia/spool/cbridge/floor"
	"github.com/spoolmedia/spool/internal/lanetest"
)

// BenchmarkAgainstFloor compares with the bare library, which decodes to planes. The large image is decoded in bands.
func BenchmarkAgainstFloor(b *testing.B) {
	for _, name := range []string{"rgb.jp2", "tiles.jp2", "large.jp2"} {
		b.Run(name, func(b *testing.B) {
			lanetest.Turns(b, [][]byte{lanetest.Read(b, name)}, "bare-planes", []lanetest.Step[[]byte]{
				{Name: "bare-planes", Run: floor.JP2},
				{Name: "ours", Run: func(data []byte) error { _, err := whole(b, data, 3); return err }},
			})
		})
	}
}
