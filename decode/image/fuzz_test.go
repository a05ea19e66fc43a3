package image_test

import (
	"bytes"
	"errors"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/decode/image/format"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/decodetest"
	"github.com/spoolmedia/spool/internal/fuzzed"
	"github.com/spoolmedia/spool/internal/mutate"
	"github.com/spoolmedia/spool/resize"
)

// fuzzLimits keep a run fast. Larger inputs have their own tests.
var fuzzLimits = decode.Limits{MaxPixels: 1e6, MaxFrames: 8, MaxMemory: 256 << 20}

// files are the test files that match patterns.
func files(f *testing.F, patterns ...string) (all [][]byte) {
	f.Helper()
	for _, pattern := range patterns {
		all = append(all, mutate.Files(f, 32<<10, filepath.Join(media, "hard", "*", pattern))...)
	}
	return all
}

// For any bytes, reading the header does no harm and gives plausible numbers.
func FuzzProbeImage(f *testing.F) {
	mutate.Fuzz(f, files(f, "*"), func(t testing.TB, data []byte, _ uint64) {
		info, err := image.Probe(ctx, spool.Bytes{Data: data}, fuzzLimits)
		if err != nil {
			if spool.ClassOf(err) == "" {
				t.Fatal(err)
			}
			return
		}
		fuzzed.Accept()
		if info.Width < 1 || info.Height < 1 || int64(info.Width)*int64(info.Height) > fuzzLimits.MaxPixels ||
			info.Channels < 0 || info.Channels > 10 || // 0: samples that will be refused; 10: libjpeg's limit
			info.Orientation < 1 || info.Orientation > 8 || info.Frames < 0 {
			t.Fatalf("%+v", info)
		}
	})
}

// The whole JPEG lane: a result, equal when decoded again, or an error with a class.
func FuzzJPEG(f *testing.F) {
	fuzzLane(f, files(f, "*.jpg"), func(i image.Info) bool { return i.Format == format.JPEG })
}

// All other lanes, including the animations in their testdata.
func FuzzImage(f *testing.F) {
	all := files(f, "*.png", "*.webp", "*.gif", "*.tiff", "*.bmp", "*.p?m", "*.tga", "*.jp2")
	for _, name := range imageFiles(f) {
		if data := decodetest.ReadFile(f, name); bytes.Contains(data, []byte("acTL")) || filepath.Ext(name) == ".gif" {
			all = append(all, data)
		}
	}
	fuzzLane(f, all,
		func(i image.Info) bool { return i.Format != format.JPEG })
}

func fuzzLane(f *testing.F, files [][]byte, mine func(image.Info) bool) {
	d, err := decoders.New(decoders.Options{Limits: fuzzLimits})
	require.NoError(f, err)
	f.Cleanup(func() { require.NoError(f, d.Close()) })
	mutate.Fuzz(f, files, func(t testing.TB, data []byte, knobs uint64) {
		info, err := image.Probe(ctx, spool.Bytes{Data: data}, fuzzLimits)
		if err != nil || !mine(info) {
			return
		}
		fuzzed.Accept()
		spec := image.Spec{Color: decode.Color(knobs % 4), Resize: resize.Spec{Filter: resize.Filter(knobs >> 2 % 5)}}
		if w, h := knobs>>8%64, knobs>>16%64; w > 0 && h > 0 {
			spec.Resize.Width, spec.Resize.Height, spec.Resize.Mode = int(w), int(h), resize.Mode(knobs>>24%3)
		}
		if knobs>>32%2 == 1 {
			spec.Accept = 0.1
		}
		spec.DType = []spool.DType{spool.Uint8, spool.Uint8, spool.Uint16, spool.Float32}[knobs>>34%4]
		spec.Resize.Profile = resize.Profile(knobs >> 36 % 3)
		spec.ICC = knobs>>48%2 == 1
		if knobs>>58%8 == 0 {
			spec.Color, spec.DType, spec.ICC = decode.Index, spool.Uint8, false
			spec.Resize.Filter = resize.Nearest + resize.Filter(knobs>>2%3)
		}
		spec.Frame = int(knobs >> 50 % 4 & (knobs >> 52 % 4)) // usually the first
		if knobs>>56%4 == 0 {
			all, _, err := d.Images.DecodeFrames(ctx, spool.Bytes{Data: data}, spec, 0)
			if err == nil {
				all.Release()
			} else if spool.ClassOf(err) == "" && !errors.Is(err, spool.ErrOutOfMemory) {
				t.Fatal(err)
			}
		}
		first, _, err := d.Images.Decode(ctx, spool.Bytes{Data: data}, spec)
		if err != nil {
			if spool.ClassOf(err) == "" && !errors.Is(err, spool.ErrOutOfMemory) {
				t.Fatal(err)
			}
			return
		}
		defer first.Release()
		if knobs>>40%8 != 0 { // occasionally is enough
			return
		}
		again, _, err := d.Images.Decode(ctx, spool.Bytes{Data: data}, spec)
		if err != nil {
			t.Fatal(err)
		}
		defer again.Release()
		if !bytes.Equal(first.Bytes(), again.Bytes()) {
			t.Fatal("another result the second time")
		}
	})
}
