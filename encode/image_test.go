package encode_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/image/webp"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/floor"
	"github.com/spoolmedia/spool/encode"
)

// photo is the first of testdata's photos. Its alpha, with 4 channels, is a pattern.
func photo(t testing.TB, channels int) ([]byte, spool.Desc) {
	t.Helper()
	files, err := filepath.Glob("../testdata/photos/*/*.jpg")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	data, err := os.ReadFile(files[0])
	require.NoError(t, err)
	decoded, err := jpeg.Decode(bytes.NewReader(data))
	require.NoError(t, err)
	size := decoded.Bounds().Size()
	var pixels []byte
	for y := range size.Y {
		for x := range size.X {
			c := color.NRGBAModel.Convert(decoded.At(x, y)).(color.NRGBA)
			pixels = append(pixels, []byte{c.R, c.G, c.B, byte(255 - x%50)}[:max(1, channels)]...)
		}
	}
	return pixels, spool.Desc{Shape: spool.Shape{size.Y, size.X, channels}, Layout: spool.HWC}
}

// interleaved are the pixels of an image.Image.
func interleaved(decoded image.Image, channels int) []byte {
	var pixels []byte
	size := decoded.Bounds().Size()
	for y := range size.Y {
		for x := range size.X {
			c := color.NRGBAModel.Convert(decoded.At(x, y)).(color.NRGBA)
			pixels = append(pixels, []byte{c.R, c.G, c.B, c.A}[:channels]...)
		}
	}
	return pixels
}

func psnr(a, b []byte) float64 {
	sum := 0.0
	for i := range a {
		d := float64(a[i]) - float64(b[i])
		sum += d * d
	}
	return 10 * math.Log10(255*255/(sum/float64(len(a))))
}

// Go's own decoders read the files and return the original pixels.
func TestImagesAreReadByOthers(t *testing.T) {
	for name, c := range map[string]struct {
		o        encode.ImageOptions
		channels int
		psnr     float64 // least; 0: identical
	}{
		"png":           {encode.ImageOptions{Format: encode.PNG}, 3, 0},
		"png gray":      {encode.ImageOptions{Format: encode.PNG}, 1, 0},
		"png rgba":      {encode.ImageOptions{Format: encode.PNG, Effort: 1}, 4, 0},
		"png small":     {encode.ImageOptions{Format: encode.PNG, Effort: 12}, 3, 0},
		"jpeg":          {encode.ImageOptions{Format: encode.JPEG, Quality: 95}, 3, 33},
		"jpeg gray":     {encode.ImageOptions{Format: encode.JPEG, Quality: 95}, 1, 38},
		"jpeg rgba":     {encode.ImageOptions{Format: encode.JPEG, Quality: 95, Effort: 1}, 4, 33},
		"jpeg 4:2:2":    {encode.ImageOptions{Format: encode.JPEG, Quality: 95, Chroma: encode.Chroma422}, 3, 33},
		"jpeg 4:4:4":    {encode.ImageOptions{Format: encode.JPEG, Quality: 98, Chroma: encode.Chroma444, Effort: 2}, 3, 38},
		"webp lossless": {encode.ImageOptions{Format: encode.WebP, Lossless: true, Effort: 1}, 4, 0},
		"webp gray":     {encode.ImageOptions{Format: encode.WebP, Lossless: true, Effort: 1}, 1, 0},
		"webp":          {encode.ImageOptions{Format: encode.WebP, Quality: 95}, 3, 30},
	} {
		t.Run(name, func(t *testing.T) {
			pixels, d := photo(t, c.channels)
			if c.channels == 1 {
				d.Shape = d.Shape[:2]
				d.Layout = spool.Flat
			}
			data, err := encode.Image(t.Context(), pixels, d, c.o)
			require.NoError(t, err)
			read := map[encode.Format]func(*bytes.Reader) (image.Image, error){
				encode.PNG:  func(r *bytes.Reader) (image.Image, error) { return png.Decode(r) },
				encode.JPEG: func(r *bytes.Reader) (image.Image, error) { return jpeg.Decode(r) },
				encode.WebP: func(r *bytes.Reader) (image.Image, error) { return webp.Decode(r) },
			}[c.o.Format]
			decoded, err := read(bytes.NewReader(data))
			require.NoError(t, err)
			require.Equal(t, image.Pt(d.Shape[1], d.Shape[0]), decoded.Bounds().Size())
			channels := c.channels
			if c.o.Format == encode.JPEG && channels == 4 { // alpha is dropped
				channels = 3
				pixels = withoutAlpha(pixels)
			}
			got := interleaved(decoded, channels)
			if c.psnr == 0 {
				assert.True(t, bytes.Equal(pixels, got))
			} else {
				assert.Greater(t, psnr(pixels, got), c.psnr)
			}
		})
	}
}

func withoutAlpha(rgba []byte) (rgb []byte) {
	for i := 0; i < len(rgba); i += 4 {
		rgb = append(rgb, rgba[i:i+3]...)
	}
	return rgb
}

// The standard library reads images of 16 bits and returns the original pixels.
func TestSixteenBits(t *testing.T) {
	pixels, _ := movingFrames(1, 35, 52, 2*4)
	d := spool.Desc{Layout: spool.HWC, DType: spool.Uint16}
	for _, channels := range []int{1, 3, 4} {
		d.Shape = spool.Shape{35, 52 * 4 / channels, channels}
		data, err := encode.Image(t.Context(), pixels[:2*35*(52*4/channels)*channels], d,
			encode.ImageOptions{Format: encode.PNG})
		require.NoError(t, err)
		decoded, err := png.Decode(bytes.NewReader(data))
		require.NoError(t, err)
		var got []byte
		for y := range d.Shape[0] {
			for x := range d.Shape[1] {
				var v color.NRGBA64
				switch p := decoded.(type) {
				case *image.Gray16:
					v.R = p.Gray16At(x, y).Y
				case *image.RGBA64:
					v = color.NRGBA64(p.RGBA64At(x, y))
				case *image.NRGBA64:
					v = p.NRGBA64At(x, y)
				}
				for _, c := range []uint16{v.R, v.G, v.B, v.A}[:channels] {
					got = binary.NativeEndian.AppendUint16(got, c)
				}
			}
		}
		require.True(t, bytes.Equal(pixels[:len(got)], got), "%d channels", channels)
	}
	_, err := encode.Image(t.Context(), pixels[:2*35*52*4], d, encode.ImageOptions{Format: encode.WebP})
	require.ErrorIs(t, err, spool.ErrShape)
}

// Sizes at which filters, subsampling and edges behave differently.
func TestSmallImages(t *testing.T) {
	for _, format := range []encode.Format{encode.JPEG, encode.PNG, encode.WebP} {
		for _, size := range [][2]int{{1, 1}, {1, 7}, {7, 1}, {2, 2}, {3, 5}, {17, 16}, {65, 129}} {
			for _, channels := range []int{1, 3, 4} {
				pixels, d := movingFrames(1, size[0], size[1], channels)
				d = spool.Desc{Shape: d.Shape[1:], Layout: spool.HWC}
				data, err := encode.Image(t.Context(), pixels, d, encode.ImageOptions{Format: format})
				require.NoError(t, err)
				decoded, name, err := image.Decode(bytes.NewReader(data))
				require.NoError(t, err, "%v %v", format, size)
				assert.Equal(t, image.Pt(size[1], size[0]), decoded.Bounds().Size(), name)
				if format == encode.PNG {
					require.True(t, bytes.Equal(pixels, interleaved(decoded, channels)), "%v %d", size, channels)
				}
			}
		}
	}
}

// A higher quality gives a larger file and a smaller difference.
func TestQuality(t *testing.T) {
	pixels, d := photo(t, 3)
	for _, format := range []encode.Format{encode.JPEG, encode.WebP} {
		size, near := 0, 0.0
		for _, quality := range []int{10, 50, 75, 95} {
			data, err := encode.Image(t.Context(), pixels, d, encode.ImageOptions{Format: format, Quality: quality})
			require.NoError(t, err)
			decoded, _, err := image.Decode(bytes.NewReader(data))
			require.NoError(t, err)
			p := psnr(pixels, interleaved(decoded, 3))
			assert.Greater(t, len(data), size)
			assert.Greater(t, p, near)
			size, near = len(data), p
		}
	}
}

func TestImageFiles(t *testing.T) {
	pixels, d := movingFrames(1, 20, 30, 3)
	d = spool.Desc{Shape: d.Shape[1:], Layout: spool.HWC}
	folder := t.TempDir()
	for name, format := range map[string]string{"a.jpg": "jpeg", "b.JPEG": "jpeg", "c.png": "png", "d.webp": "webp"} {
		path := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(path, []byte("before"), 0o600))
		require.NoError(t, encode.ImageFile(t.Context(), path, pixels, d, encode.ImageOptions{}))
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		_, found, err := image.DecodeConfig(bytes.NewReader(data))
		require.NoError(t, err)
		assert.Equal(t, format, found)
	}
	requireOnlyFiles(t, folder, "a.jpg", "b.JPEG", "c.png", "d.webp")
	require.ErrorIs(t, encode.ImageFile(t.Context(), filepath.Join(folder, "e.gif"), pixels, d, encode.ImageOptions{}),
		spool.ErrUnsupported)
	require.ErrorIs(t, encode.ImageFile(t.Context(), filepath.Join(folder, "no", "e.png"), pixels, d,
		encode.ImageOptions{}), spool.ErrNotFound)
	require.ErrorIs(t, encode.ImageFile(t.Context(), filepath.Join(folder, "a.jpg", "e.png"), pixels, d,
		encode.ImageOptions{}), spool.ErrNotFound)
	require.NoError(t, os.Mkdir(filepath.Join(folder, "f.png"), 0o700))
	require.ErrorIs(t, encode.ImageFile(t.Context(), filepath.Join(folder, "f.png"), pixels, d, encode.ImageOptions{}),
		spool.ErrNotAFile)
}

func TestImagesThatAreNone(t *testing.T) {
	pixels, d := movingFrames(1, 4, 5, 3)
	d = spool.Desc{Shape: d.Shape[1:], Layout: spool.HWC}
	for _, wrong := range []spool.Desc{
		{Shape: spool.Shape{4, 5, 4}, Layout: spool.HWC}, {Shape: spool.Shape{3, 4, 5}, Layout: spool.CHW},
		{Shape: spool.Shape{60}},
		{Shape: spool.Shape{1, 5, 3}, Layout: spool.HWC, DType: spool.Float32},
		{Shape: spool.Shape{6, 5, 2}, Layout: spool.HWC}, {Shape: spool.Shape{0, 5, 3}, Layout: spool.HWC},
	} {
		_, err := encode.Image(t.Context(), pixels, wrong, encode.ImageOptions{Format: encode.PNG})
		assert.ErrorIs(t, err, spool.ErrShape, "%v", wrong)
	}
	for _, o := range []encode.ImageOptions{
		{}, {Format: 9}, {Format: encode.PNG, Quality: 3}, {Format: encode.JPEG, Quality: 101},
		{Format: encode.JPEG, Lossless: true},
		{Format: encode.WebP, Chroma: encode.Chroma444}, {Format: encode.WebP, Effort: 7}, {Format: encode.JPEG, Effort: -1},
	} {
		_, err := encode.Image(t.Context(), pixels, d, o)
		assert.ErrorIs(t, err, spool.ErrOptions, "%+v", o)
	}
	err := encode.ImageOptions{Format: encode.PNG, Quality: 101, Chroma: 7}.Validate()
	assert.ErrorContains(t, err, "Quality 101: must be from 1 to 100")
	assert.ErrorContains(t, err, "Chroma 7: no such subsampling")

	wide := make([]byte, 70000*3)
	long := spool.Desc{Shape: spool.Shape{1, 70000, 3}, Layout: spool.HWC}
	for _, format := range []encode.Format{encode.JPEG, encode.WebP} {
		_, err := encode.Image(t.Context(), wide, long, encode.ImageOptions{Format: format})
		assert.ErrorIs(t, err, spool.ErrTooLarge)
	}
	_, err = encode.Image(t.Context(), wide, long, encode.ImageOptions{Format: encode.PNG})
	assert.NoError(t, err)

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, format := range []encode.Format{encode.JPEG, encode.PNG, encode.WebP} {
		_, err := encode.Image(ended, pixels, d, encode.ImageOptions{Format: format})
		assert.ErrorIs(t, err, spool.ErrCanceled)
	}
}

// BenchmarkImage compares the cost of images with the standard library and libpng.
func BenchmarkImage(b *testing.B) {
	pixels, d := photo(b, 3)
	size := image.Rect(0, 0, d.Shape[1], d.Shape[0])
	rgba := image.NewRGBA(size)
	for i := range d.Shape[0] * d.Shape[1] {
		copy(rgba.Pix[4*i:], pixels[3*i:3*i+3])
		rgba.Pix[4*i+3] = 255
	}
	report := func(b *testing.B, bytes int) {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(size.Dx()*size.Dy()), "ns/pixel")
		b.ReportMetric(float64(bytes), "bytes")
	}
	for name, o := range map[string]encode.ImageOptions{"jpeg": {Format: encode.JPEG}, "png": {Format: encode.PNG},
		"png-1": {Format: encode.PNG, Effort: 1}, "png-6": {Format: encode.PNG, Effort: 6},
		"png-9": {Format: encode.PNG, Effort: 9}, "webp": {Format: encode.WebP}, "webp-1": {Format: encode.WebP, Effort: 1}} {
		b.Run(name, func(b *testing.B) {
			n := 0
			for b.Loop() {
				data, err := encode.Image(b.Context(), pixels, d, o)
				if err != nil {
					b.Fatal(err)
				}
				n = len(data)
			}
			report(b, n)
		})
	}
	for name, level := range map[string]png.CompressionLevel{"go png": png.DefaultCompression,
		"go png fast": png.BestSpeed} {
		b.Run(name, func(b *testing.B) {
			var out bytes.Buffer
			encoder := png.Encoder{CompressionLevel: level}
			for b.Loop() {
				out.Reset()
				if err := encoder.Encode(&out, rgba); err != nil {
					b.Fatal(err)
				}
			}
			report(b, out.Len())
		})
	}
	for name, fast := range map[string]bool{"libpng": false, "libpng fast": true} {
		b.Run(name, func(b *testing.B) {
			written := 0
			for b.Loop() {
				n, err := floor.EncodePNG(pixels, size.Dx(), size.Dy(), fast)
				if err != nil {
					b.Fatal(err)
				}
				written = n
			}
			report(b, written)
		})
	}
	b.Run("go jpeg", func(b *testing.B) {
		var out bytes.Buffer
		for b.Loop() {
			out.Reset()
			if err := jpeg.Encode(&out, rgba, &jpeg.Options{Quality: 75}); err != nil {
				b.Fatal(err)
			}
		}
		report(b, out.Len())
	})
}
