package jpeg_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/jpeg"
	"github.com/spoolmedia/spool/internal/lanetest"
	"github.com/spoolmedia/spool/internal/seed"
)

// repacked are the first 16 bytes of the SHA-256 of what jpegtran 2.1.5 of libjpeg-turbo writes:
//
//	jpegtran -copy all -optimize [-restart 1] FILE, and -progressive for the progressive file
var repacked = []struct{ file, plain, restarts string }{
	{"photos/animal/00", "4d0169c5aee1e7aa69698d7465766522", "db535124747b918677f3fb45e4c9acd8"},
	{"photos/landscape/00", "3a48431e52fd91c614ff397dc08ac1c0", "aa22c5f1277934882f67aec8877db019"},
	{"photos/object/02", "61d79dcca22282d97d1ffcc2a9230f78", "d32909d413da234cd8150b98d9e30dfb"},
	{"hard/good/progressive", "fed803bffd4ec6e24e35b92abeedfddc", "e36dac427b28a09a24523d66697bd337"},
	{"hard/good/restart", "c854f9cd63547368b13582ddd966d129", "2a7911c97a351122f1feea58adf0048f"},
	{"hard/good/exif6", "a4c43799b31a32fcafb584c32f45278d", "49f9987ff3205d684a3825229fc0d8ab"},
	{"hard/good/gray", "9092cdb415780a46d80ddc5ab46d7557", "5f6e4e16c71d627b5638aafab06e8ab1"},
	{"hard/good/cmyk", "cdf85353095d3975b392e5092add07c6", "8e2ba5e0ad0a34f9c312958d66e626ad"},
	{"hard/good/s411", "51214ce54166ccb8d1ad090df3747273", "9c3e47ec96d80c57057774f81d2c3a38"},
	{"hard/good/arithmetic", "59e2a29e47127ed1a0171d82be36d364", "206adc85d61cd2c540c9b37213e0a1bf"},
	{"hard/good/scans", "59e2a29e47127ed1a0171d82be36d364", "206adc85d61cd2c540c9b37213e0a1bf"},
}

func repack(t *testing.T, data []byte, o jpeg.RepackOptions) ([]byte, error) {
	t.Helper()
	c, err := call.Enter(context.Background(), 1)
	require.NoError(t, err)
	defer c.Leave()
	return jpeg.Repack(c, data, o)
}

// The files are those that jpegtran writes, which copies coefficients.
func TestRepack(t *testing.T) {
	for _, x := range repacked {
		data, err := os.ReadFile(filepath.Join("../../testdata", x.file+".jpg"))
		require.NoError(t, err)
		for rows, want := range []string{x.plain, x.restarts} {
			got, err := repack(t, data, jpeg.RepackOptions{RestartRows: rows})
			require.NoError(t, err, x.file)
			sum := sha256.Sum256(got)
			assert.Equal(t, want, hex.EncodeToString(sum[:16]), "%s, restarts %d", x.file, rows)
		}
	}
}

// Files that would lose something are refused: damage, and bytes after the image.
func TestRepackRefuses(t *testing.T) {
	for name, class := range map[string]error{"bad/empty": spool.ErrEmpty, "bad/truncated60": spool.ErrTruncated,
		"bad/text": spool.ErrNotMedia, "bad/no_table": spool.ErrCorrupt, "bad/lossless": spool.ErrUnsupported,
		"good/trailing": spool.ErrUnsupported, "good/extraneous": spool.ErrCorrupt} {
		data, err := os.ReadFile(filepath.Join("../../testdata/hard", name+".jpg"))
		require.NoError(t, err)
		_, err = repack(t, data, jpeg.RepackOptions{})
		assert.ErrorIs(t, err, class, name)
	}
	data, err := os.ReadFile("../../testdata/photos/animal/00.jpg")
	require.NoError(t, err)
	_, err = repack(t, data, jpeg.RepackOptions{MaxMemory: 1000})
	require.ErrorIs(t, err, spool.ErrTooLarge)
	ctx, cancel := context.WithCancel(context.Background())
	c, err := call.Enter(ctx, 1)
	require.NoError(t, err)
	defer c.Leave()
	cancel()
	for err = nil; err == nil; { // the flag of the call is set soon
		_, err = jpeg.Repack(c, data, jpeg.RepackOptions{})
	}
	assert.ErrorIs(t, err, spool.ErrCanceled)
}

// A progressive file without its last scan is refused: decoders smooth it, and would not smooth the repacked one.
func TestRepackRefusesMissingScans(t *testing.T) {
	whole, err := os.ReadFile("../../testdata/hard/good/progressive.jpg")
	require.NoError(t, err)
	_, err = repack(t, whole, jpeg.RepackOptions{})
	require.NoError(t, err)
	last := bytes.LastIndex(whole, []byte{0xFF, 0xDA})
	require.Positive(t, last)
	_, err = repack(t, append(bytes.Clone(whole[:last]), 0xFF, 0xD9), jpeg.RepackOptions{})
	require.ErrorIs(t, err, spool.ErrUnsupported)
	require.ErrorContains(t, err, "the scans do not give all bits")
}

// Any file is refused, or repacked to one with the same pixels: the golden ones, and changed ones.
func TestRepackMutations(t *testing.T) {
	random := seed.Rand(t)
	originals := lanetest.ReadAll(t, lanetest.Goldens[golden](t))
	c, err := call.Enter(context.Background(), 1)
	require.NoError(t, err)
	defer c.Leave()
	pixels := func(data []byte) ([]byte, error) {
		h, err := jpeg.ReadHeader(data)
		require.NoError(t, err)
		dst := make([]byte, 3*h.Width*h.Height)
		_, err = jpeg.Decode(c, data, jpeg.Options{Color: jpeg.RGB, Dst: dst, MaxMemory: 64 << 20})
		return dst, err
	}
	repacked := 0
	for i := range len(originals) + 1000 {
		data := bytes.Clone(originals[i%len(originals)])
		for range min(i/len(originals), 1+random.IntN(3)) {
			data[random.IntN(len(data))] = byte(random.Uint32())
		}
		if h, err := jpeg.ReadHeader(data); err != nil || h.Width*h.Height > 1e6 {
			continue
		}
		got, err := jpeg.Repack(c, data, jpeg.RepackOptions{RestartRows: i % 3, MaxMemory: 64 << 20})
		if err != nil {
			lanetest.RequireClass(t, err)
			continue
		}
		want, err := pixels(data)
		same, wrong := pixels(got)
		assert.Equal(t, err == nil, wrong == nil, "mutation %d: %v, %v", i, err, wrong)
		assert.True(t, bytes.Equal(want, same), "mutation %d", i)
		repacked++
	}
	assert.Greater(t, repacked, 100)
}
