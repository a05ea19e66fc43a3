package shard_test

import (
	"archive/tar"
	"bytes"
	stdgzip "compress/gzip"
	"context"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/short"
	"github.com/spoolmedia/spool/source/shard"
)

func gzipped(t testing.TB, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := stdgzip.NewWriter(&b)
	_, err := w.Write(data)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.Bytes()
}

// zstandard compresses with the zstd program, or with the library if that is not installed.
func zstandard(t testing.TB, data []byte) []byte {
	t.Helper()
	if program, err := exec.LookPath("zstd"); err == nil {
		c := exec.Command(program, "-q", "-c")
		c.Stdin = bytes.NewReader(data)
		out, err := c.Output()
		require.NoError(t, err)
		return out
	}
	w, err := zstd.NewWriter(nil)
	require.NoError(t, err)
	return w.EncodeAll(data, nil)
}

func TestDecompress(t *testing.T) {
	data := pack(t, tar.FormatPAX,
		append(images, file{"noise.jpg", strings.Repeat("some more text that repeats", 10_000)})...)
	zipped, zstded := gzipped(t, data), zstandard(t, data)
	skippable := append([]byte("\x5e\x2a\x4d\x18\x03\x00\x00\x00abc"), zstded...)
	for _, c := range []struct {
		name    string
		archive []byte
		want    shard.Compression
	}{
		{"none", data, shard.None}, {"gzip", zipped, shard.Gzip}, {"zstd", zstded, shard.Zstd},
		{"two gzips", append(gzipped(t, data[:700]), gzipped(t, data[700:])...), shard.Gzip},
		{"two frames", append(zstandard(t, data[:700]), zstandard(t, data[700:])...), shard.Zstd},
		{"a frame to be skipped", skippable, shard.Zstd},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := &disk{data: c.archive}
			got, err := shard.Compressed(t.Context(), o)
			require.NoError(t, err)
			require.Equal(t, c.want, got)
			whole, err := shard.Decompress(t.Context(), o, got, int64(len(data)))
			require.NoError(t, err)
			assert.True(t, bytes.Equal(data, whole))

			_, err = shard.Decompress(t.Context(), o, got, int64(len(data))-1)
			assert.ErrorIs(t, err, spool.ErrTooLarge)
			if got == shard.None {
				return
			}
			_, err = shard.Decompress(t.Context(), &disk{data: c.archive[:len(c.archive)-3]}, got, 1<<30)
			assert.ErrorIs(t, err, spool.ErrTruncated)
			bad := append([]byte{}, c.archive...)
			bad[len(bad)-2] ^= 0x40 // of the checksum, or the length
			_, err = shard.Decompress(t.Context(), &disk{data: bad}, got, 1<<30)
			assert.ErrorIs(t, err, spool.ErrCorrupt)
			_, err = shard.Decompress(t.Context(), &disk{data: c.archive, failsAt: int64(len(c.archive) - 3)}, got, 1<<30)
			assert.ErrorIs(t, err, errDisk)
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			_, err = shard.Decompress(ctx, &disk{data: c.archive}, got, 1<<30)
			assert.ErrorIs(t, err, spool.ErrCanceled)
		})
	}
	for text, want := range map[string]shard.Compression{"": shard.None, "a": shard.None, "\x1f\x8b\x08": shard.Gzip,
		"\x28\xb5\x2f": shard.None} {
		got, err := shard.Compressed(t.Context(), shard.Memory(text))
		require.NoError(t, err)
		assert.Equal(t, want, got, "%q", text)
	}
	_, err := shard.Compressed(t.Context(), &disk{data: data, failsAt: 1})
	assert.ErrorIs(t, err, errDisk)
}

// TestBombs: 1 GiB of zeros in 1 MB, and a frame with a window of 2 GiB, cost at most the limit.
func TestBombs(t *testing.T) {
	bomb := bytes.Repeat(gzipped(t, make([]byte, short.Of(64<<20, 8<<20))), 16)
	_, err := shard.Decompress(t.Context(), shard.Memory(bomb), shard.Gzip, 1<<20)
	assert.ErrorIs(t, err, spool.ErrTooLarge)
	window := []byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, 21 << 3, 0x01, 0x00, 0x00} // RFC 8878: 2^(10+21) bytes
	_, err = shard.Decompress(t.Context(), shard.Memory(window), shard.Zstd, 1<<20)
	assert.ErrorIs(t, err, spool.ErrTooLarge)
}

// counted is memory that records the most that was in use.
type counted struct {
	spool.GoHeap
	used, most int
}

func (c *counted) Alloc(n int) ([]byte, error) {
	c.used += n
	c.most = max(c.most, c.used)
	return c.GoHeap.Alloc(n)
}

func (c *counted) Free(block []byte) error {
	c.used -= len(block)
	return c.GoHeap.Free(block)
}

// The limit applies to memory: data that is too large is refused when the limit is passed, and other data takes its
// size.
func TestDecompressTakesNoMoreThanTheLimit(t *testing.T) {
	limit := short.Of(10<<20, 5<<20) // above a piece
	for name, c := range map[string]shard.Compression{"gzip": shard.Gzip, "zstd": shard.Zstd} {
		compress := map[shard.Compression]func(testing.TB, []byte) []byte{shard.Gzip: gzipped, shard.Zstd: zstandard}[c]
		for _, tt := range []struct {
			size, most int
			class      error
		}{
			{0, shard.PieceBytes, nil}, {1, shard.PieceBytes, nil}, {shard.PieceBytes, 2 * shard.PieceBytes, nil},
			{limit, limit + shard.PieceBytes, nil}, {limit + 1, limit + shard.PieceBytes, spool.ErrTooLarge},
			{short.Of(20, 2) * limit, limit + shard.PieceBytes, spool.ErrTooLarge},
		} {
			data := make([]byte, tt.size)
			for i := range data {
				data[i] = byte(i >> 12)
			}
			memory := &counted{}
			got, err := shard.DecompressWith(t.Context(), shard.Memory(compress(t, data)), c, int64(limit), memory)
			assert.Zero(t, memory.used, "%s of %d", name, tt.size)
			assert.LessOrEqual(t, memory.most, tt.most, "%s of %d", name, tt.size)
			if tt.class != nil {
				require.ErrorIs(t, err, tt.class)
				continue
			}
			require.NoError(t, err)
			assert.Equal(t, len(data), cap(got), "%s of %d", name, tt.size)
			assert.True(t, bytes.Equal(data, got))
		}
	}
}

// A bomb allocates less on Go's heap than its limit.
func TestBombsAllocateLittle(t *testing.T) {
	const limit = 32 << 20
	bomb := bytes.Repeat(gzipped(t, make([]byte, 16<<20)), 16)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := shard.Decompress(t.Context(), shard.Memory(bomb), shard.Gzip, limit)
	runtime.ReadMemStats(&after)
	require.ErrorIs(t, err, spool.ErrTooLarge)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(limit/2))
}
