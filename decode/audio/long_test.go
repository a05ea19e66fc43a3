package audio_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode/audio"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/decodetest"
	"github.com/spoolmedia/spool/internal/short"
)

// silence is a WAV stream of so many seconds of silence, 8 kHz, 16 bits, whose header has no length.
func silence(seconds int) io.Reader {
	header := []byte("RIFF\xff\xff\xff\xffWAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00")
	header = binary.LittleEndian.AppendUint32(header, 8000)
	header = binary.LittleEndian.AppendUint32(header, 16000)
	header = append(header, "\x02\x00\x10\x00data\xff\xff\xff\xff"...)
	return io.MultiReader(bytes.NewReader(header), io.LimitReader(zeros{}, int64(seconds)*16000))
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// An hour of audio is read in the memory of one chunk.
func TestLongAudioInBoundedMemory(t *testing.T) {
	seconds := short.Of(3600, 600)
	pool, err := spool.NewPool(spool.PoolOptions{MaxBytes: 1 << 20})
	require.NoError(t, err)
	d := decodetest.New(t, decoders.Options{Pool: pool})
	a, err := d.Audios.Open(ctx, spool.Stream{Reader: silence(seconds)}, audio.OpenOptions{})
	require.NoError(t, err)
	assert.Equal(t, int64(-1), a.Info().Samples)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	n := 0
	for chunk, err := range a.Chunks(ctx, 16000, audio.Spec{Rate: 16000}) {
		require.NoError(t, err)
		n += chunk.Samples
		chunk.Release()
	}
	runtime.ReadMemStats(&after)
	assert.Equal(t, seconds*16000, n)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(16<<20), "bytes of garbage in %d s", seconds)
	require.NoError(t, a.Close())
	require.NoError(t, pool.Close())
}
