package av_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
)

// What it costs to be ready for the first packet: opening with and without probing, decoders new and from the pool.
func BenchmarkSetUp(b *testing.B) {
	for _, name := range []string{"bframes.mp4", "altref.webm", "opengop.mp4"} {
		c, err := call.Enter(b.Context(), 1)
		require.NoError(b, err)
		in := open(b, c, av.Source{Path: small + name}, av.InputOptions{})
		p, err := in.Parameters(0)
		require.NoError(b, err)
		for what, o := range map[string]av.InputOptions{"open": {}, "open-no-probe": {NoProbe: true},
			"open-no-probe-format": {NoProbe: true, Format: in.Media().Format}} {
			b.Run(name+"/"+what, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					in, err := av.Open(c, av.Source{Path: small + name}, o)
					if err != nil {
						b.Fatal(err)
					}
					in.Close()
				}
			})
		}
		b.Run(name+"/decoder", func(b *testing.B) {
			for b.Loop() {
				d, err := av.NewDecoder(c, p, av.DecoderOptions{})
				if err != nil {
					b.Fatal(err)
				}
				d.Close()
			}
		})
		b.Run(name+"/decoder-pooled", func(b *testing.B) {
			var codecs av.Codecs
			defer codecs.Close()
			for b.Loop() {
				d, err := codecs.Get(c, p, av.DecoderOptions{})
				if err != nil {
					b.Fatal(err)
				}
				codecs.Put(d)
			}
		})
		c.Leave()
	}
}
