package image_test

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/decodetest"
	"github.com/spoolmedia/spool/internal/short"
	"github.com/spoolmedia/spool/resize"
)

// requireBound decodes with profiles fast and exact, and checks the bound of fast.
func requireBound(t *testing.T, d *decoders.Set, data []byte, spec image.Spec, what ...any) image.Trace {
	t.Helper()
	want, exact := decodetest.Image(t, d, data, spec)
	spec.Resize.Profile = resize.Fast
	if draw := spec.Draw; draw != nil {
		spec.Draw = func(width, height int) (resize.Spec, error) {
			r, err := draw(width, height)
			r.Profile = resize.Fast
			return r, err
		}
	}
	got, report := decodetest.Image(t, d, data, spec)
	require.Equal(t, exact.Region, report.Region)
	require.Zero(t, exact.Trace.Scale)
	_, mean := decodetest.Worst(t, want, got)
	squares := 0.0
	for i, v := range want {
		squares += math.Pow(float64(v)-float64(got[i]), 2)
	}
	psnr := 10 * math.Log10(255*255*float64(len(want))/squares)
	if mean > 1 || psnr < 38 {
		require.Failf(t, "beyond the bound", "a mean of %.2f, %.1f dB: %+v, %+v, %v", mean, psnr, spec.Resize, report.Trace,
			what)
	}
	return report.Trace
}

// All available photos, at sizes that need planes at every scale.
func TestFastKeepsItsBound(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	used := map[image.Scale]int{}
	for _, pattern := range []string{media + "/photos/*/*.jpg", shared + "/photos/*.jpg", shared + "/large/*.jpg"} {
		if testing.Short() && strings.HasPrefix(pattern, shared) {
			continue
		}
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		if len(files) == 0 {
			t.Log("not here: ", pattern)
		}
		for i, file := range files {
			if testing.Short() && i%8 != 0 {
				continue
			}
			data := decodetest.ReadFile(t, file)
			r := rand.New(rand.NewPCG(1, uint64(i)))
			hold := func(s resize.Spec) { used[requireBound(t, d, data, image.Spec{Resize: s}, file).Scale]++ }
			for _, size := range [][2]int{{224, 224}, {20, 30}, {12, 9}, {64, 51}, {100 + r.IntN(300), 100 + r.IntN(300)}} {
				hold(resize.Spec{Width: size[0], Height: size[1]})
				hold(resize.Spec{Width: size[0], Height: size[1], Filter: resize.Bicubic, Mode: resize.Cover, FlipX: true})
			}
			hold(resize.Spec{Shorter: 48, CropWidth: 40, CropHeight: 60, Filter: resize.Lanczos})
			hold(resize.Spec{Width: 60, Height: 60, Mode: resize.Fit, Filter: resize.Box})
			for range 3 {
				requireBound(t, d, data, image.Spec{Draw: func(w, h int) (resize.Spec, error) {
					return resize.Spec{Width: 96, Height: 96, Box: resize.RandomResizedCrop{}.Draw(r0(i), w, h)}, nil
				}}, file)
			}
		}
	}
	t.Log(used)
	for _, luma := range []int{1, 2, 4, 8} {
		count := 0
		for scale, n := range used {
			if scale.Luma == luma {
				count += n
			}
		}
		assert.Greater(t, count, 3, luma)
	}
}

// r0 gives the same numbers each time, so that both profiles get the same crop.
func r0(i int) *rand.Rand { return rand.New(rand.NewPCG(3, uint64(i))) }

// oriented is a JPEG file with an orientation added.
func oriented(data []byte, orientation int) []byte {
	exif := []byte("\xFF\xE1\x00\x22Exif\x00\x00MM\x00*\x00\x00\x00\x08" +
		"\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00")
	binary.BigEndian.PutUint16(exif[28:], uint16(orientation))
	return slices.Concat(data[:2], exif, data[2:])
}

func TestFastOfTurnedImages(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	data := decodetest.ReadFile(t, media, "photos/animal/00.jpg")
	r := rand.New(rand.NewPCG(1, 5))
	for n := 1; n <= 8; n++ {
		file := oriented(data, n)
		for range short.Of(12, 4) {
			s := resize.Spec{Width: 20 + r.IntN(130), Height: 20 + r.IntN(130), FlipX: r.IntN(2) == 0, FlipY: r.IntN(2) == 0}
			if r.IntN(2) == 0 {
				s.Box = resize.Rect{Left: r.IntN(50), Top: r.IntN(50), Width: 230 + r.IntN(20), Height: 230 + r.IntN(20)}
			}
			trace := requireBound(t, d, file, image.Spec{Resize: s}, n)
			require.NotZero(t, trace.Scale)
			requireBound(t, d, file, image.Spec{Resize: s, Color: decode.Gray}, n)
		}
	}
}

// The pixels do not depend on the type and layout of the result.
func TestFastResults(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	data := decodetest.ReadFile(t, media, "photos/animal/00.jpg")
	of := func(s image.Spec) []byte {
		s.Resize = resize.Spec{Width: 50, Height: 40, Profile: resize.Fast}
		got, report := decodetest.Image(t, d, data, s)
		require.NotZero(t, report.Trace.Scale)
		return got
	}
	rgb := of(image.Spec{})
	bgr, rgba := of(image.Spec{Color: decode.BGR}), of(image.Spec{Color: decode.RGBA})
	chw := of(image.Spec{Layout: spool.CHW})
	float := of(image.Spec{DType: spool.Float32, Mean: []float32{0.5}, Std: []float32{0.25}})
	for i := range 50 * 40 {
		for c := range 3 {
			v := rgb[3*i+c]
			require.Equal(t, v, bgr[3*i+2-c])
			require.Equal(t, v, rgba[4*i+c])
			require.Equal(t, v, chw[c*50*40+i])
			f := math.Float32frombits(binary.NativeEndian.Uint32(float[4*(3*i+c):]))
			require.InDelta(t, (float64(v)/255-0.5)/0.25, f, 1e-5)
		}
		require.Equal(t, uint8(255), rgba[4*i+3])
	}
}

// Profile fast is exact for images that our engine declines, and for requests that planes do not serve.
func TestFastIsExactElsewhere(t *testing.T) {
	photo := decodetest.ReadFile(t, media, "photos/animal/00.jpg")
	small := resize.Spec{Width: 60, Height: 50}
	for name, c := range map[string]struct {
		data    []byte
		spec    image.Spec
		options decoders.Options
	}{
		"several scans": {decodetest.ReadFile(t, media, "hard/good/scans.jpg"), image.Spec{Resize: small},
			decoders.Options{}},
		"cut":   {photo[:len(photo)*2/3], image.Spec{Resize: small, Accept: 0.1}, decoders.Options{}},
		"turbo": {photo, image.Spec{Resize: small}, decoders.Options{JPEG: image.JPEGTurbo}},
		"nearest": {photo, image.Spec{Resize: resize.Spec{Width: 60, Height: 50, Filter: resize.Nearest}},
			decoders.Options{}},
		"hardly smaller": {photo, image.Spec{Resize: resize.Spec{Width: 400, Height: 300}}, decoders.Options{}},
		"larger":         {photo, image.Spec{Resize: resize.Spec{Width: 800, Height: 700}}, decoders.Options{}},
		"as it is":       {photo, image.Spec{}, decoders.Options{}},
	} {
		d := decodetest.New(t, c.options)
		want, exact := decodetest.Image(t, d, c.data, c.spec)
		c.spec.Resize.Profile = resize.Fast
		got, fast := decodetest.Image(t, d, c.data, c.spec)
		assert.Equal(t, want, got, name)
		assert.Zero(t, fast.Trace.Scale, name)
		assert.Equal(t, exact, fast, name)
	}
}
