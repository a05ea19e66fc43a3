package audio_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/audio"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/decodetest"
)

// BenchmarkAudio opens an audio file and decodes it to 16 kHz in mono, the input of speech models.
func BenchmarkAudio(b *testing.B) {
	d := decodetest.New(b, decoders.Options{})
	files := audioFiles(b)
	for _, name := range files {
		b.Run(filepath.Base(name), func(b *testing.B) {
			seconds := 0.0
			for b.Loop() {
				a, err := d.Audios.Open(ctx, spool.File(name), audio.OpenOptions{})
				require.NoError(b, err)
				s, err := a.Read(ctx, audio.Spec{Rate: 16000, Channels: 1, OnDamage: decode.MarkDamage})
				require.NoError(b, err)
				seconds += float64(s.Samples) / 16000
				s.Release()
				require.NoError(b, a.Close())
			}
			b.ReportMetric(seconds/b.Elapsed().Seconds(), "x")
		})
	}
}
