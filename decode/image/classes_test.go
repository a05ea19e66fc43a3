package image_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/decodetest"
	"github.com/spoolmedia/spool/internal/seed"
	"github.com/spoolmedia/spool/internal/short"
	"github.com/spoolmedia/spool/resize"
)

// imageFiles are all images of the tests: those of the repository, and those in the testdata of each lane.
func imageFiles(t testing.TB) (names []string) {
	t.Helper()
	for _, pattern := range []string{media + "/hard/*/*", "../../cbridge/*/testdata/*"} {
		found, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, name := range found {
			if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() && info.Size() < 64<<10 {
				names = append(names, name)
			}
		}
	}
	require.Greater(t, len(names), 300)
	return names
}

// anySpec derives a spec from n. All values of n cover the whole range of requests.
func anySpec(n uint64) image.Spec {
	take := func(of uint64) uint64 {
		k := n % of
		n /= of
		return k
	}
	s := image.Spec{Color: decode.Color(take(4)),
		DType: []spool.DType{spool.Uint8, spool.Uint16, spool.Float16, spool.Float32}[take(4)]}
	if s.Color != decode.RGBA {
		s.Alpha = image.Alpha(take(2))
	}
	s.Layout = []spool.Layout{spool.HWC, spool.CHW}[take(2)]
	s.ICC, s.Stored = take(2) == 1, take(2) == 1
	s.Resize.Profile = resize.Profile(take(3))
	if take(2) == 1 {
		s.Resize.Width, s.Resize.Height, s.Resize.Mode = 5, 7, resize.Mode(take(3))
	}
	s.Allow = image.Loaders(take(32))
	s.Accept = []float64{0, 0.1}[take(2)]
	return s
}

// Every error has a class, whatever is requested of a file: the command reports an error without a class as internal.
func TestErrorsHaveClasses(t *testing.T) {
	asked := short.Of(24, 2)
	d := decodetest.New(t, decoders.Options{Limits: decode.Limits{MaxPixels: 1e6}})
	random := seed.Rand(t)
	for _, name := range imageFiles(t) {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		for range asked {
			spec := anySpec(random.Uint64())
			requireClassed(t, d, data, spec, name)
		}
	}
}

func requireClassed(t *testing.T, d *decoders.Set, data []byte, spec image.Spec, name string) {
	t.Helper()
	all, _, err := d.Images.DecodeFrames(ctx, spool.Bytes{Data: data}, spec, 0)
	if err == nil {
		all.Release()
		return
	}
	if spool.ClassOf(err) == "" && !errors.Is(err, spool.ErrOutOfMemory) {
		require.NoError(t, err, "%s: %+v", name, spec)
	}
}
