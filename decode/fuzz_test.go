package decode_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/resize"
)

// fuzzLimits keep a run quick: what is above them has its own tests.
var fuzzLimits = decode.Limits{MaxPixels: 1e6, MaxMemory: 256 << 20}

// seeds adds the test data of one kind to the corpus.
func seeds(f *testing.F, add func(data []byte), patterns ...string) {
	f.Helper()
	for _, pattern := range patterns {
		names, err := filepath.Glob(filepath.Join(media, "hard", "*", pattern))
		require.NoError(f, err)
		require.NotEmpty(f, names)
		for _, name := range names {
			data, err := os.ReadFile(name)
			require.NoError(f, err)
			add(data)
		}
	}
}

// Whatever the bytes, the header is read without harm and its numbers are plausible.
func FuzzProbeImage(f *testing.F) {
	seeds(f, func(data []byte) { f.Add(data) }, "*")
	f.Fuzz(func(t *testing.T, data []byte) {
		info, err := decode.ProbeImage(ctx, data, fuzzLimits)
		if err != nil {
			require.NotEmpty(t, spool.ClassOf(err), "%v", err)
			return
		}
		require.Positive(t, info.Width)
		require.Positive(t, info.Height)
		require.LessOrEqual(t, int64(info.Width)*int64(info.Height), fuzzLimits.MaxPixels)
		require.True(t, info.Channels >= 1 && info.Channels <= 10, "libjpeg's limit")
		require.True(t, info.Orientation >= 1 && info.Orientation <= 8)
		require.GreaterOrEqual(t, info.Frames, 0)
	})
}

// The JPEG lane, through all of the road: a result, the same when asked again, or an error with a class.
func FuzzJPEG(f *testing.F) {
	seeds(f, func(data []byte) { f.Add(data, uint8(8), uint8(9), uint8(0)) }, "*.jpg")
	fuzzLane(f, func(i decode.ImageInfo) bool { return i.Format == decode.JPEG })
}

// All other lanes.
func FuzzImage(f *testing.F) {
	seeds(f, func(data []byte) { f.Add(data, uint8(8), uint8(9), uint8(0)) }, "*.png", "*.webp", "*.gif", "*.tiff", "*.bmp", "*.p?m", "*.tga", "*.jp2")
	fuzzLane(f, func(i decode.ImageInfo) bool { return i.Format != decode.JPEG })
}

func fuzzLane(f *testing.F, mine func(decode.ImageInfo) bool) {
	d, err := decode.New(decode.Options{Limits: fuzzLimits})
	require.NoError(f, err)
	f.Cleanup(func() { require.NoError(f, d.Close()) })
	f.Fuzz(func(t *testing.T, data []byte, w, h, how uint8) {
		info, err := decode.ProbeImage(ctx, data, fuzzLimits)
		if err != nil || !mine(info) {
			return
		}
		spec := decode.ImageSpec{Color: decode.Color(how % 4), Resize: resize.Spec{Filter: resize.Filter(how / 4 % 5)}}
		if w > 0 && h > 0 {
			spec.Resize.Width, spec.Resize.Height, spec.Resize.Mode = int(w), int(h), resize.Mode(how/20%3)
		}
		if how >= 128 {
			spec.Accept = 0.1
		}
		first, _, err := d.Image(ctx, data, spec)
		if err != nil {
			require.False(t, spool.ClassOf(err) == "" && !errors.Is(err, spool.ErrOutOfMemory), "%v", err)
			return
		}
		defer first.Release()
		if how%8 != 7 { // once in a while is enough
			return
		}
		again, _, err := d.Image(ctx, data, spec)
		require.NoError(t, err)
		defer again.Release()
		require.Equal(t, first.Bytes(), again.Bytes())
	})
}
