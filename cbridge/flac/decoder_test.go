package flac_test

import (
	"bytes"
	"flag"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cbridge/flac"
)

var streams = flag.Int("streams", 60, "how many streams are made and decoded")

// viewOf returns a View of a file in memory.
func viewOf(file []byte) flac.View {
	return func(offset int64, _ int) ([]byte, error) { return file[min(offset, int64(len(file))):], nil }
}

func newDecoder(t testing.TB, file []byte) (flac.Header, *flac.Decoder) {
	t.Helper()
	h, reason, err := flac.ReadHeader(viewOf(file))
	require.NoError(t, err)
	require.Equal(t, flac.Decoded, reason)
	d, err := flac.New(h)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	return h, d
}

// plane returns the decoder's samples of a channel.
func plane(h flac.Header, d *flac.Decoder, channel, n int) []byte {
	return unsafe.Slice((*byte)(d.Planes()[channel]), n*h.Size())
}

// Streams with all features of the format are decoded to their original samples.
func TestSyntheticStreams(t *testing.T) {
	for seed := range uint64(*streams) {
		s := newSynthetic(seed, 5)
		h, d := newDecoder(t, s.file)
		require.Equal(t, []int{s.rate, s.channels, s.bits, s.block}, []int{h.Rate, h.Channels, h.Bits, h.Largest})
		require.EqualValues(t, s.starts[0], h.Start)
		for i, start := range s.starts {
			f, reason := d.Decode(s.file[start:], s.firsts[i])
			require.Equal(t, flac.Decoded, reason, "seed %d, frame %d: %d bits", seed, i, s.bits)
			end := len(s.file)
			if i+1 < len(s.starts) {
				end = s.starts[i+1]
			}
			require.Equal(t, end-start, f.Bytes, "seed %d, frame %d", seed, i)
			for c := range s.channels {
				if !bytes.Equal(s.bytes(c, s.firsts[i], f.Samples), plane(h, d, c, f.Samples)) {
					t.Fatalf("seed %d, frame %d, channel %d of %d differs: %d bits", seed, i, c, s.channels, s.bits)
				}
			}
		}
	}
}

// A frame is rejected at another position of the stream, if truncated, or with any bit changed.
func TestDamageIsSeen(t *testing.T) {
	reasons := map[flac.Reason]int{}
	for seed := range uint64(*streams / 3) {
		s := newSynthetic(seed, 2)
		_, d := newDecoder(t, s.file)
		frame := bytes.Clone(s.file[s.starts[0]:s.starts[1]])
		see := func(data []byte, first int64) {
			_, reason := d.Decode(data, first)
			require.NotEqual(t, flac.Decoded, reason, "seed %d", seed)
			reasons[reason]++
		}
		see(frame[:len(frame)-1], 0)
		see(frame[:s.IntN(len(frame))], 0)
		see(s.file[s.starts[1]:], 1<<40)
		for range 20 {
			i := s.IntN(8 * len(frame))
			frame[i/8] ^= 1 << (i % 8)
			see(frame, 0)
			frame[i/8] ^= 1 << (i % 8)
		}
		_, reason := d.Decode(frame, 0)
		require.Equal(t, flac.Decoded, reason)
	}
	t.Log(reasons)
	assert.Greater(t, len(reasons), 7)
}

// Find returns the next frame from any start.
func TestFind(t *testing.T) {
	for seed := range uint64(*streams / 10) {
		s := newSynthetic(seed, 8)
		_, d := newDecoder(t, s.file)
		_, reason := d.Decode(s.file[s.starts[0]:], 0)
		require.Equal(t, flac.Decoded, reason)
		for i, start := range s.starts[1:] {
			from := start - s.IntN(start-s.starts[i])
			for {
				at, first, ok := d.Find(s.file[from:])
				require.True(t, ok, "seed %d, frame %d", seed, i+1)
				if from += at; from == start {
					assert.Equal(t, s.firsts[i+1], first)
					break
				}
				require.Less(t, from, start) // bytes within a frame can look like a header
				from++
			}
		}
	}
}
