package audio_test

import (
	"bytes"
	"errors"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/audio"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/fuzzed"
	"github.com/spoolmedia/spool/internal/mutate"
)

// Any bytes are either audio whose windows equal the same range of the whole, or an error with a class.
func FuzzAudio(f *testing.F) {
	var seeds [][]byte
	for _, name := range audioFiles(f) {
		if data, err := os.ReadFile(name); err == nil && len(data) < 16<<10 {
			seeds = append(seeds, data)
		}
	}
	require.NotEmpty(f, seeds)
	d, err := decoders.New(decoders.Options{Limits: fuzzLimits})
	require.NoError(f, err)
	f.Cleanup(func() { require.NoError(f, d.Close()) })
	classed := func(t testing.TB, err error) {
		if spool.ClassOf(err) == "" && !errors.Is(err, spool.ErrOutOfMemory) && !errors.Is(err, spool.ErrOptions) {
			t.Fatal(err)
		}
	}
	mutate.Fuzz(f, seeds, func(t testing.TB, data []byte, knobs uint64) {
		var in spool.Object = spool.Bytes{Data: data}
		if knobs&1 != 0 {
			in = spool.NewObject(bytes.NewReader(data), spool.ObjectInfo{Size: int64(len(data))})
		}
		a, err := d.Audios.Open(ctx, in, audio.OpenOptions{})
		if err != nil {
			classed(t, err)
			return
		}
		fuzzed.Accept()
		defer a.Close()
		spec := audio.Spec{Rate: int(knobs >> 8 % 3 * 8000), Channels: int(knobs >> 16 % 3), OnDamage: decode.MarkDamage}
		if spec.Rate > 0 && a.Info().Rate > 1<<20 {
			return // a filter with so many taps is only slow
		}
		all, err := a.Read(ctx, spec)
		if err != nil {
			classed(t, err)
			return
		}
		defer all.Release()
		if all.Samples == 0 || knobs>>24%4 != 0 { // occasionally is enough
			return
		}
		first := int(knobs >> 32 % uint64(all.Samples))
		part := spec
		part.Start, part.End = float64(first)/float64(all.Rate), float64(all.Samples)/float64(all.Rate)
		window, err := a.Read(ctx, part)
		if err != nil {
			t.Fatalf("from sample %d of %d: %v", first, all.Samples, err)
		}
		defer window.Release()
		n := all.Samples - first
		if window.Samples != n || int64(first) != window.First {
			t.Fatalf("%d samples from %d of %d", window.Samples, window.First, all.Samples)
		}
		if channels := all.Report.Desc.Shape[0]; !bytes.Equal(all.Bytes()[4*((channels-1)*all.Samples+first):],
			window.Bytes()[4*(channels-1)*n:]) {
			t.Fatalf("the window from sample %d of %d is another", first, all.Samples)
		}
	})
}
