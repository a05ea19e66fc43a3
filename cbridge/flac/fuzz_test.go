package flac_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cbridge/flac"
	"github.com/spoolmedia/spool/internal/fuzzed"
	"github.com/spoolmedia/spool/internal/mutate"
)

// FuzzDecode checks that any input gives a header and frames within the data, or a reason, and that Find stays within
// the data.
func FuzzDecode(f *testing.F) {
	var seeds [][]byte
	for seed := range uint64(12) {
		seeds = append(seeds, newSynthetic(seed, 2).file)
	}
	file, err := os.ReadFile("../../testdata/audio/flac.flac")
	require.NoError(f, err)
	mutate.Fuzz(f, append(seeds, file[:9000]), func(t testing.TB, data []byte, _ uint64) {
		h, reason, err := flac.ReadHeader(viewOf(data))
		if err != nil {
			t.Fatal(err)
		}
		if reason != flac.Decoded || h.Channels*h.Largest > 1<<16 { // larger blocks are only slower
			return
		}
		fuzzed.Accept()
		d, err := flac.New(h)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		at, first := min(h.Start, int64(len(data))), int64(0)
		for at < int64(len(data)) {
			// A copy, so that the sanitizer detects reads beyond the end.
			f, reason := d.Decode(append([]byte(nil), data[at:]...), first)
			if reason == flac.Decoded {
				if f.Samples < 1 || f.Samples > h.Largest || f.Bytes < 9 || at+int64(f.Bytes) > int64(len(data)) {
					t.Fatalf("%d samples in %d bytes at %d of %d", f.Samples, f.Bytes, at, len(data))
				}
				at, first = at+int64(f.Bytes), first+int64(f.Samples)
				continue
			}
			if first == 0 {
				return
			}
			next, sample, ok := d.Find(data[at+1:])
			if next < 0 || ok != (next < len(data)-int(at)-1) {
				t.Fatalf("found at %d of %d: %v", next, len(data)-int(at)-1, ok)
			}
			at, first = at+1+int64(next), sample
		}
	})
}
