package image_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"image"
	"image/png"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	spoolimage "github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/decodetest"
	"github.com/spoolmedia/spool/internal/half"
	"github.com/spoolmedia/spool/resize"
)

// noise is a PPM file of w x h pixels of noise, and these pixels.
func noise(w, h int) (file, pixels []byte) {
	pixels = content("noise", uint64(w*h), w, h, 3)
	return append(fmt.Appendf(nil, "P6 %d %d 255\n", w, h), pixels...), pixels
}

// Color, layout and type of the result, compared with plain Go.
func TestOutputs(t *testing.T) {
	const w, h = 13, 7
	file, in := noise(w, h)
	mean, std := []float32{0.485, 0.456, 0.406}, []float32{0.229, 0.224, 0.225}
	d := decodetest.New(t, decoders.Options{})
	for _, color := range []decode.Color{decode.RGB, decode.BGR, decode.Gray, decode.RGBA} {
		for _, layout := range []spool.Layout{spool.Flat, spool.HWC, spool.CHW} {
			for _, dtype := range []spool.DType{spool.Uint8, spool.Float16, spool.Float32} {
				spec := spoolimage.Spec{Color: color, Layout: layout, DType: dtype}
				n := color.Channels()
				if dtype != spool.Uint8 && n == 3 {
					spec.Mean, spec.Std = mean, std
				}
				got, report := decodetest.Image(t, d, file, spec)
				if layout == spool.CHW {
					require.Equal(t, spool.Shape{n, h, w}, report.Desc.Shape)
				} else {
					require.Equal(t, spool.Shape{h, w, n}, report.Desc.Shape)
				}
				for i := range w * h {
					r, g, b := in[3*i], in[3*i+1], in[3*i+2]
					want := map[decode.Color][]byte{decode.RGB: {r, g, b}, decode.BGR: {b, g, r}, decode.RGBA: {r, g, b, 255},
						decode.Gray: {byte((19595*int(r) + 38470*int(g) + 7471*int(b) + 32768) >> 16)}}[color]
					for c, v := range want {
						at := i*n + c
						if layout == spool.CHW {
							at = c*w*h + i
						}
						f := float64(v) / 255
						if spec.Mean != nil {
							f = (f - float64(mean[c])) / float64(std[c])
						}
						switch dtype {
						case spool.Uint8:
							require.Equal(t, v, got[at], "%+v", spec)
						case spool.Float32:
							require.InDelta(t, f, math.Float32frombits(binary.LittleEndian.Uint32(got[4*at:])), 1e-6, "%+v", spec)
						case spool.Float16:
							require.InDelta(t, f, half.Float(binary.LittleEndian.Uint16(got[2*at:])), 2e-3, "%+v", spec)
						}
					}
				}
			}
		}
	}
}

// Transparency, with and without blending before the conversion to luma.
func TestAlpha(t *testing.T) {
	const w, h = 9, 5
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	copy(img.Pix, content("noise", 3, w, h, 4))
	var file bytes.Buffer
	require.NoError(t, png.Encode(&file, img))
	d := decodetest.New(t, decoders.Options{})

	got, _ := decodetest.Image(t, d, file.Bytes(), spoolimage.Spec{Color: decode.RGBA})
	require.Equal(t, img.Pix, got)

	got, _ = decodetest.Image(t, d, file.Bytes(), spoolimage.Spec{})
	blended, _ := decodetest.Image(t, d, file.Bytes(),
		spoolimage.Spec{Alpha: spoolimage.BlendAlpha, Over: decode.RGB8{R: 10, G: 200, B: 30}})
	gray, _ := decodetest.Image(t, d, file.Bytes(),
		spoolimage.Spec{Alpha: spoolimage.BlendAlpha, Over: decode.RGB8{R: 10, G: 200, B: 30}, Color: decode.Gray})
	for i := range w * h {
		pixel := img.Pix[4*i:][:4]
		require.Equal(t, pixel[:3], got[3*i:][:3])
		for c, over := range []float64{10, 200, 30} {
			a := float64(pixel[3]) / 255
			require.InDelta(t, float64(pixel[c])*a+over*(1-a), blended[3*i+c], 1)
		}
		r, g, b := int(blended[3*i]), int(blended[3*i+1]), int(blended[3*i+2])
		require.EqualValues(t, (19595*r+38470*g+7471*b+32768)>>16, gray[i])
	}
}

// Alpha does not turn a gray image into a color image.
func TestGrayAlpha(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	data := decodetest.ReadFile(t, media, "hard/good/la.png")
	stored := decodetest.ReadFile(t, media, "hard/good/gray.png")
	want, _ := decodetest.Image(t, d, stored, spoolimage.Spec{Color: decode.Gray})
	got, _ := decodetest.Image(t, d, data, spoolimage.Spec{Color: decode.Gray})
	require.Equal(t, want, got)
}

// The orientation is applied before the resize, as in torchvision: orienting the stored image in Go, and resizing that,
// gives the same bytes.
func TestOrientationComesBeforeResize(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	spec := spoolimage.Spec{Resize: resize.Spec{Width: 31, Height: 47}}
	for o := 1; o <= 8; o++ {
		data := decodetest.ReadFile(t, media, "hard/good", fmt.Sprintf("exif%d.jpg", o))
		stored, report := decodetest.Image(t, d, data, spoolimage.Spec{Stored: true})
		require.Equal(t, 1, report.Info.Orientation)
		w, h := report.Info.Width, report.Info.Height
		upright, uw, uh := turn(stored, w, h, o)
		want, _ := decodetest.Image(t, d, append(fmt.Appendf(nil, "P6 %d %d 255\n", uw, uh), upright...), spec)
		got, report := decodetest.Image(t, d, data, spec)
		require.Equal(t, o, report.Info.Orientation)
		require.Equal(t, want, got, "orientation %d", o)
	}
}

// turn defines EXIF's orientations (TIFF 6.0, tag 274): where row 0 and column 0 of the stored image are shown.
func turn(p []byte, w, h, o int) (out []byte, ow, oh int) {
	ow, oh = w, h
	if o >= 5 {
		ow, oh = h, w
	}
	for y := range oh {
		for x := range ow {
			sx, sy := x, y
			if o >= 5 {
				sx, sy = y, x
			}
			if o == 2 || o == 3 || o == 7 || o == 8 {
				sx = w - 1 - sx
			}
			if o == 3 || o == 4 || o == 6 || o == 7 {
				sy = h - 1 - sy
			}
			out = append(out, p[3*(sy*w+sx):][:3]...)
		}
	}
	return out, ow, oh
}

// A crop of a JPEG equals the crop of the whole decoded image, although the rows outside are not decoded.
func TestCropIsTheSameWithoutTheRest(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	for _, name := range []string{"hard/good/s420.jpg", "hard/good/progressive.jpg", "hard/good/rgb.png",
		"hard/good/rgb.bmp"} {
		data := decodetest.ReadFile(t, media, name)
		whole, report := decodetest.Image(t, d, data, spoolimage.Spec{})
		file := append(fmt.Appendf(nil, "P6 %d %d 255\n", report.Info.Width, report.Info.Height), whole...)
		spec := spoolimage.Spec{Resize: resize.Spec{Shorter: 60, CropWidth: 21, CropHeight: 17}}
		want, _ := decodetest.Image(t, d, file, spec)
		got, _ := decodetest.Image(t, d, data, spec)
		require.Equal(t, want, got, name)
	}
}

// An accepted image has the rows that were read, and the fill color in the others.
func TestAcceptDamage(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	for bad, good := range map[string]string{
		"truncated60.jpg": "s420.jpg", "truncated.ppm": "rgb.ppm", "truncated.png": "rgb.png", "truncated.tiff": "rgb.tiff",
		"truncated.webp": "lossy.webp",
		"truncated.bmp":  "rgb.bmp", "truncated.tga": "rgb.tga",
	} {
		whole, _ := decodetest.Image(t, d, decodetest.ReadFile(t, media, "hard/good", good), spoolimage.Spec{})
		data := decodetest.ReadFile(t, media, "hard/bad", bad)
		spec := spoolimage.Spec{Accept: 0.2, Fill: &decode.RGB8{R: 1, G: 2, B: 3}}
		got, report := decodetest.Image(t, d, data, spec)
		require.True(t, report.Damaged, bad)
		require.Positive(t, report.Warnings, bad)
		require.NotEmpty(t, report.Warning, bad)
		require.Greater(t, report.Fraction, 0.2)
		require.Less(t, report.Fraction, 1.0)
		w, h := report.Info.Width, report.Info.Height
		rows := int(report.Fraction*float64(h)) - 2 // JPEG: the last rows depend on the next ones, and come 16 at a time
		read, lost := [2]int{0, rows}, [2]int{rows + 18, h}
		if strings.HasSuffix(bad, ".bmp") || strings.HasSuffix(bad, ".tga") { // stored bottom up
			read, lost = [2]int{h - rows, h}, [2]int{0, h - rows - 3}
		}
		require.Equal(t, whole[3*w*read[0]:3*w*read[1]], got[3*w*read[0]:3*w*read[1]], bad)
		require.Equal(t, bytes.Repeat([]byte{1, 2, 3}, w*(lost[1]-lost[0])), got[3*w*lost[0]:3*w*lost[1]], bad)
		spec.Accept = 0.99
		_, _, err := d.Images.Decode(ctx, spool.Bytes{Data: data}, spec)
		require.ErrorIs(t, err, spool.ErrTruncated, bad)
	}
}

// Missing gray rows at the top have the luma of the fill color.
func TestAcceptGrayFromTheBottomUp(t *testing.T) {
	data := decodetest.ReadFile(t, media, "hard/good/gray.bmp")
	spec := spoolimage.Spec{Accept: 0.2, Fill: &decode.RGB8{R: 200, G: 10, B: 30}, Color: decode.Gray}
	got, report := decodetest.Image(t, decodetest.New(t, decoders.Options{}), data[:len(data)*2/3], spec)
	require.True(t, report.Damaged)
	require.Equal(t, byte((19595*200+38470*10+7471*30+32768)>>16), got[0])
}

func TestLimits(t *testing.T) {
	file, _ := noise(100, 50)
	jpeg := decodetest.ReadFile(t, media, "hard/good/s420.jpg")
	for _, c := range []struct {
		limits decode.Limits
		data   []byte
		word   string
	}{
		{decode.Limits{MaxPixels: 4999}, file, "5000 pixels, the limit is 4999"},
		{decode.Limits{MaxBytes: 1000}, file, "the limit is 1000"},
		{decode.Limits{MaxMemory: 10_000}, file, "the limit is 10000"},
		{decode.Limits{MaxPixels: 100}, jpeg, "the limit is 100"},
	} {
		d := decodetest.New(t, decoders.Options{Limits: c.limits})
		_, _, err := d.Images.Decode(ctx, spool.Bytes{Data: c.data}, spoolimage.Spec{})
		require.ErrorIs(t, err, spool.ErrTooLarge)
		require.ErrorContains(t, err, c.word)
	}
	d := decodetest.New(t, decoders.Options{Limits: decode.Limits{MaxPixels: -1}})
	_, _, err := d.Images.Decode(ctx, spool.Bytes{Data: decodetest.ReadFile(t, media, "hard/bad/bomb.png")},
		spoolimage.Spec{Resize: resize.Spec{Width: 8, Height: 8}})
	require.Error(t, err, "without limits the bomb is merely not worth its memory")
}

func TestSpecReportsEverything(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	file, _ := noise(4, 4)
	_, _, err := d.Images.Decode(ctx, spool.Bytes{Data: file},
		spoolimage.Spec{Resize: resize.Spec{Width: -1}, Color: 9, Alpha: 9, Layout: spool.NHWC,
			DType: spool.Int64, Accept: 2})
	require.ErrorIs(t, err, spool.ErrOptions)
	for _, word := range []string{"Color 9", "Alpha 9", "NHWC", "int64", "Accept 2", "-1"} {
		require.ErrorContains(t, err, word)
	}
	require.ErrorContains(t, spoolimage.Spec{Mean: []float32{1}}.Validate(),
		"Mean needs DType float32, float16 or bfloat16")
	require.ErrorContains(t, spoolimage.Spec{DType: spool.Float32, Mean: []float32{1, 2}, Std: []float32{0}}.Validate(),
		"Mean [1 2]: must have 1 value, or 3, one for each channel")
	require.ErrorContains(t, spoolimage.Spec{DType: spool.Float32, Std: []float32{0}}.Validate(), "Std 0: must not be 0")
	_, err = d.Images.DecodeInto(ctx, spool.Bytes{Data: file}, make([]byte, 47), spoolimage.Spec{})
	require.ErrorIs(t, err, spool.ErrShape)
}

func TestSample(t *testing.T) {
	desc, ok := spoolimage.Spec{Resize: resize.Spec{Width: 8, Height: 6}, Layout: spool.CHW, DType: spool.Float16,
		Color: decode.Gray}.Sample()
	require.True(t, ok)
	require.Equal(t, "float16 CHW [1 6 8]", desc.String())
	desc, ok = spoolimage.Spec{Resize: resize.Spec{Shorter: 9, CropWidth: 8, CropHeight: 6}}.Sample()
	require.True(t, ok)
	require.Equal(t, "uint8 HWC [6 8 3]", desc.String())
	_, ok = spoolimage.Spec{Resize: resize.Spec{Shorter: 9}}.Sample()
	require.False(t, ok)
}

func TestBlank(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	spec := spoolimage.Spec{Resize: resize.Spec{Width: 3, Height: 2}, DType: spool.Float32, Fill: &decode.RGB8{R: 255}}
	dst := make([]byte, 3*2*3*4)
	require.NoError(t, d.Images.Blank(ctx, dst, spec))
	for i := range 3 * 2 * 3 {
		want := float32(0)
		if i%3 == 0 {
			want = 1
		}
		require.Equal(t, want, math.Float32frombits(binary.LittleEndian.Uint32(dst[4*i:])))
	}
}

// A call ends soon after its context, with the context's error and its class, and leaks nothing.
func TestCancel(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	var names = []string{"hard/good/s420.jpg", "hard/good/progressive.jpg", "hard/good/rgb.png", "hard/good/rgb.bmp",
		"hard/good/exif6.jpg"}
	done, cancel := context.WithCancel(ctx)
	cancel()
	late, stop := context.WithDeadline(ctx, time.Now().Add(-time.Second))
	defer stop()
	for _, name := range names {
		data := decodetest.ReadFile(t, media, name)
		_, _, err := d.Images.Decode(done, spool.Bytes{Data: data}, spoolimage.Spec{})
		require.ErrorIs(t, err, context.Canceled, name)
		require.Equal(t, spool.ErrCanceled, spool.ClassOf(err))
		_, _, err = d.Images.Decode(late, spool.Bytes{Data: data}, spoolimage.Spec{})
		require.ErrorIs(t, err, context.DeadlineExceeded, name)
		require.Equal(t, spool.ErrTimeout, spool.ClassOf(err))
	}
	r := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		ctx, cancel := context.WithCancel(ctx)
		time.AfterFunc(time.Duration(r.IntN(1500))*time.Microsecond, cancel)
		b, _, err := d.Images.Decode(ctx, spool.Bytes{Data: decodetest.ReadFile(t, media, names[r.IntN(len(names))])},
			spoolimage.Spec{})
		if err == nil {
			b.Release()
		} else {
			require.ErrorIs(t, err, context.Canceled)
		}
		cancel()
	}
}

// One decoder serves many goroutines, with the bytes that each would get alone.
func TestConcurrentUse(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	spec := spoolimage.Spec{Resize: resize.Spec{Width: 40, Height: 30}}
	type job struct{ data, want []byte }
	var jobs []job
	for name, e := range readExpected(t, media, "expected.json") {
		if e.Classes == nil && strings.HasPrefix(name, "hard/") {
			data := decodetest.ReadFile(t, media, name)
			want, _ := decodetest.Image(t, d, data, spec)
			jobs = append(jobs, job{data, want})
		}
	}
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			dst := make([]byte, 40*30*3)
			for i := range jobs {
				j := jobs[(i+g*7)%len(jobs)]
				if _, err := d.Images.DecodeInto(ctx, spool.Bytes{Data: j.data}, dst, spec); err != nil ||
					!bytes.Equal(j.want, dst) {
					t.Errorf("job %d: %v", i, err)
				}
			}
		})
	}
	wg.Wait()
}

// Decoding takes memory from pools, not from the Go heap. What remains are 17 small objects, and three more for a
// context that can end. Builds with the address sanitizer or the race detector move a few from the stack to the heap.
func TestAllocations(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	data := decodetest.ReadFile(t, media, "hard/good/s420.jpg")
	dst := make([]byte, 64*64*3)
	spec := spoolimage.Spec{Resize: resize.Spec{Width: 64, Height: 64}}
	n := testing.AllocsPerRun(100, func() {
		_, err := d.Images.DecodeInto(ctx, spool.Bytes{Data: data}, dst, spec)
		require.NoError(t, err)
	})
	require.LessOrEqual(t, n, 22.0)
}
