package png_test

import (
	"bytes"
	"compress/flate"
	"compress/zlib"
	"encoding/binary"
	"hash/adler32"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cbridge/png"
	"github.com/spoolmedia/spool/internal/fuzzed"
	"github.com/spoolmedia/spool/internal/seed"
)

// contents returns data that deflate in different ways: runs, short and far matches, literals only, nothing.
func contents(random *rand.Rand) map[string][]byte {
	noise := make([]byte, 100_000)
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	few := make([]byte, 200_000)
	for i := range few {
		few[i] = byte(random.IntN(3) * random.IntN(9))
	}
	steps := make([]byte, 150_000)
	for i := range steps {
		steps[i] = byte(i/700) + byte(random.IntN(2))
	}
	far := append(bytes.Clone(noise[:32700]), noise[:32700]...)
	rare := make([]byte, 0, 300_000) // some symbols get codes of 15 bits
	for i := range 20 {
		rare = append(rare, bytes.Repeat([]byte{byte(i * 11)}, 1<<min(i, 16))...)
	}
	random.Shuffle(len(rare), func(i, j int) { rare[i], rare[j] = rare[j], rare[i] })
	return map[string][]byte{"nothing": {}, "one": {7}, "zeros": make([]byte, 300_000), "noise": noise, "few": few,
		"steps": steps,
		"far":   far, "rare": rare, "pairs": bytes.Repeat([]byte("abcdefg"), 20_000),
		"words": bytes.Repeat([]byte("abcdefghijk"), 20_000)}
}

func deflated(t testing.TB, data []byte, level int) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := zlib.NewWriterLevel(&out, level)
	require.NoError(t, err)
	for len(data) > 0 { // flushes add empty stored blocks
		n := min(len(data), 70_000)
		_, err = w.Write(data[:n])
		require.NoError(t, err)
		require.NoError(t, w.Flush())
		data = data[n:]
	}
	require.NoError(t, w.Close())
	return out.Bytes()
}

func TestInflate(t *testing.T) {
	random := seed.Rand(t)
	for name, data := range contents(random) {
		for _, strength := range []int{flate.NoCompression, flate.BestSpeed, flate.DefaultCompression, flate.BestCompression,
			flate.HuffmanOnly} {
			stream := deflated(t, data, strength)
			for level := range png.InflateLevels() {
				for _, step := range []int{1 << 20, 4096, 1 + random.IntN(300)} {
					got := make([]byte, len(data))
					n, ok := png.Inflate(level, got, append(stream, 1, 2, 3), step)
					require.True(t, ok && n == len(data), "%s, strength %d, level %d, step %d: %d bytes", name, strength, level, step,
						n)
					require.Equal(t, data, got[:n:n])
				}
			}
		}
	}
}

// A stream is refused if it is truncated, longer or shorter than the output, or has another checksum.
func TestInflateRefuses(t *testing.T) {
	random := seed.Rand(t)
	data := contents(random)["steps"][:20_000]
	for _, strength := range []int{flate.NoCompression, flate.BestSpeed, flate.BestCompression, flate.HuffmanOnly} {
		stream := deflated(t, data, strength)
		for level := range png.InflateLevels() {
			dst := make([]byte, len(data))
			for _, n := range []int{0, 1, 2, 7, len(stream) / 2, len(stream) - 5, len(stream) - 1} {
				_, ok := png.Inflate(level, dst, stream[:n:n], 1000)
				assert.False(t, ok, "%d of %d bytes", n, len(stream))
			}
			_, ok := png.Inflate(level, dst[:len(dst)-1], stream, 1000)
			assert.False(t, ok, "a byte too many")
			_, ok = png.Inflate(level, make([]byte, len(data)+1), stream, 1000)
			assert.False(t, ok, "a byte too few")
			wrong := bytes.Clone(stream)
			wrong[len(wrong)-1]++
			_, ok = png.Inflate(level, dst, wrong, 1000)
			assert.False(t, ok, "a wrong checksum")
			for _, head := range []byte{0x79, 0x88} {
				wrong = bytes.Clone(stream)
				wrong[0] = head
				_, ok = png.Inflate(level, dst, wrong, 1000)
				assert.False(t, ok, "header %x", head)
			}
		}
	}
}

// FuzzInflate: a stream is accepted only if Go's decoder accepts it with the same bytes. All implementations agree, for
// any steps. The data are those of a deflate stream; the test adds header and checksum.
func FuzzInflate(f *testing.F) {
	for _, data := range contents(rand.New(rand.NewPCG(1, 2))) {
		for _, strength := range []int{flate.BestSpeed, flate.BestCompression, flate.HuffmanOnly} {
			if stream := deflated(f, data[:min(len(data), 3000)], strength); len(stream) < 6000 {
				f.Add(stream[2:len(stream)-4], uint16(100))
			}
		}
	}
	f.Fuzz(func(t *testing.T, raw []byte, step uint16) {
		const most = 1 << 20
		want, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(raw)), most))
		if len(want) == most {
			return
		}
		if err == nil {
			fuzzed.Accept()
		}
		stream := append([]byte{0x78, 0x01}, raw...)
		stream = binary.BigEndian.AppendUint32(stream, adler32.Checksum(want))
		var first []byte
		var firstOK bool
		for level := range png.InflateLevels() {
			for _, step := range []int{int(step) + 1, most} {
				got := make([]byte, len(want))
				n, ok := png.Inflate(level, got, stream, step)
				if ok {
					require.NoError(t, err)
					require.Equal(t, want, got[:n])
				}
				if level == 0 && first == nil {
					first, firstOK = got[:n], ok
				}
				require.Equal(t, firstOK, ok, "level %d, step %d", level, step)
			}
		}
	})
}
