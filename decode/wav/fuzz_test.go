package wav_test

import (
	"bytes"
	"testing"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode/wav"
	"github.com/spoolmedia/spool/internal/fuzzed"
	"github.com/spoolmedia/spool/internal/mutate"
)

// For any bytes, the result is a header with numbers that fit the file, equal when read from a stream, or an error with
// a class.
func FuzzReadHeader(f *testing.F) {
	pcm := description(1, 2, 44100, 16)
	seeds := [][]byte{
		riff(pcm, chunk("data", eight)),
		riff(chunk("LIST", []byte("odd")), extensible(3, 1, 8000, 32, 32, 4), chunk("data", eight)),
		rf64("RF64", 8, pcm, sized(0xffffffff, eight)),
	}
	for _, k := range kinds() {
		seeds = append(seeds, riff(k.description(1), chunk("data", eight)))
	}
	mutate.Fuzz(f, seeds, func(t testing.TB, data []byte, knobs uint64) {
		h, err := wav.ReadHeader(bytes.NewReader(data))
		streamed, other := wav.ReadHeader(stream{bytes.NewReader(data)})
		if spool.ClassOf(err) != spool.ClassOf(other) || err == nil && h != streamed && h.Offset <= int64(len(data)) {
			t.Fatalf("%+v, %v; from a stream %+v, %v", h, err, streamed, other)
		}
		if err != nil {
			if spool.ClassOf(err) == "" {
				t.Fatal(err)
			}
			return
		}
		fuzzed.Accept()
		if h.Stride() < 1 || h.Rate < 1 || h.Bits < 1 || h.Bits > 8*h.Encoding.Size() || h.Offset < 20 ||
			h.Bytes < wav.Unknown {
			t.Fatalf("%+v", h)
		}
		n := h.Within(int64(len(data)))
		if n == 0 {
			return
		}
		samples := data[h.Offset:][:n*int64(h.Stride())]
		channel, all := make([]float32, n), make([]float32, int(n)*h.Channels)
		c := int(knobs % uint64(h.Channels))
		wav.Channel(h, channel, samples, c)
		wav.Interleaved(h, all, samples)
		for i, v := range channel {
			if w := all[i*h.Channels+c]; w != v && (v == v || w == w) {
				t.Fatalf("sample %d of channel %d is %v alone and %v among the others", i, c, v, w)
			}
		}
		if view, ok := wav.View[float32](h, samples); ok && len(view) != len(all) {
			t.Fatalf("%d samples, a view of %d", len(all), len(view))
		}
	})
}
