package baseline_test

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cbridge/floor"
	"github.com/spoolmedia/spool/cbridge/jpeg/baseline"
	"github.com/spoolmedia/spool/internal/need"
)

// progressive converts a file to a progressive file without loss.
func progressive(b testing.TB, file string) []byte {
	b.Helper()
	data, err := exec.CommandContext(b.Context(), need.Command(b, "jpegtran"), "-progressive", file).Output()
	require.NoError(b, err)
	return data
}

// BenchmarkProgressive compares planes and rows, like BenchmarkPlanes and BenchmarkRows, for progressive files with the
// same coefficients.
func BenchmarkProgressive(b *testing.B) {
	for _, set := range []struct{ name, pattern string }{
		{"photos", "../../../bin/bench-media/photos/*.jpg"},
		{"large", "../../../bin/bench-media/large/*.jpg"},
		{"small", "../../../testdata/photos/*/*.jpg"},
	} {
		b.Run(set.name, func(b *testing.B) {
			var list [][]byte
			largest := 0
			for _, file := range picked(b, set.pattern) {
				data := progressive(b, file)
				if l, reason := baseline.ReadLayout(data); reason == baseline.Decoded {
					list = append(list, data)
					largest = max(largest, l.Bytes())
				}
			}
			if len(list) == 0 {
				need.Skip(b, need.Generated, "no images: %s", set.pattern)
			}
			planes, dst, scratch := make([]byte, largest), make([]byte, 3*largest), make([]byte, largest)
			var e baseline.Engine
			defer e.Close()
			c := enter(b)
			alternate(b, list, []step{
				{"raw", floor.JPEGPlanar},
				{"planes", func(data []byte) error { _, err := e.Planes(c, data, planes); return err }},
				{"rgb", func(data []byte) error { return floor.JPEG(data, dst) }},
				{"rows", func(data []byte) error {
					l, _ := baseline.ReadLayout(data)
					sink := window(b, l.Width, l.Height, 3, area{0, 0, l.Width, l.Height}, dst[:3*l.Width*l.Height], scratch)
					defer sink.Close()
					_, err := e.Decode(c, data, baseline.Options{Sink: sink.Pointer(), Width: l.Width, Height: l.Height})
					return err
				}},
			})
		})
	}
}
