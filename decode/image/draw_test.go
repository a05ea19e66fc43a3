package image_test

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/decodetest"
	"github.com/spoolmedia/spool/resize"
)

// cut crops an image of 3 channels.
func cut(pixels []byte, width int, box resize.Rect) (part []byte) {
	for y := box.Top; y < box.Top+box.Height; y++ {
		at := (y*width + box.Left) * 3
		part = append(part, pixels[at:at+3*box.Width]...)
	}
	return part
}

// A drawn box is cropped from the upright image, then resized, then mirrored, in every lane and orientation: the result
// has the bytes of torchvision's resized_crop and flips.
func TestDrawnBoxIsACropBeforeTheResize(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	r := rand.New(rand.NewPCG(5, 5))
	for _, name := range []string{"s420.jpg", "progressive.jpg", "exif1.jpg", "exif2.jpg", "exif3.jpg", "exif4.jpg",
		"exif5.jpg", "exif6.jpg",
		"exif7.jpg", "exif8.jpg", "cmyk.jpg", "restart.jpg", "rgb.png", "interlaced.png", "rgb.bmp", "lossy.webp",
		"rgb.tiff"} {
		data := decodetest.ReadFile(t, media, "hard/good", name)
		whole, _ := decodetest.Image(t, d, data, image.Spec{})
		for range 12 {
			var box resize.Rect
			size := [2]int{1 + r.IntN(60), 1 + r.IntN(60)}
			flipX, flipY := r.IntN(2) == 1, r.IntN(2) == 1
			got, report := decodetest.Image(t, d, data, image.Spec{Draw: func(width, height int) (resize.Spec, error) {
				box = resize.Rect{Width: 1 + r.IntN(width), Height: 1 + r.IntN(height)}
				box.Left, box.Top = r.IntN(width-box.Width+1), r.IntN(height-box.Height+1)
				return resize.Spec{Box: box, Width: size[0], Height: size[1], FlipX: flipX, FlipY: flipY}, nil
			}})
			width, _ := report.Info.Oriented()
			part := append(fmt.Appendf(nil, "P6 %d %d 255\n", box.Width, box.Height), cut(whole, width, box)...)
			want, _ := decodetest.Image(t, d, part, image.Spec{Resize: resize.Spec{Width: size[0], Height: size[1]}})
			require.Equal(t, decodetest.Mirror(want, size[0], size[1], flipX, flipY), got,
				"%s: %v to %v, mirrored %v %v", name, box, size, flipX, flipY)
			require.Equal(t, resize.Region{Left: float64(box.Left), Top: float64(box.Top),
				Width: float64(box.Width), Height: float64(box.Height)}, report.Region)
		}
	}
}

// The same, compared with results of torchvision: testdata/crops.json.
func TestResizedCropsAreTorchvisions(t *testing.T) {
	var recorded struct{ Crops [][]any }
	require.NoError(t, json.Unmarshal(decodetest.ReadFile(t, "testdata", "crops.json"), &recorded))
	require.Greater(t, len(recorded.Crops), 100)
	d := decodetest.New(t, decoders.Options{})
	for _, row := range recorded.Crops {
		n := func(i int) int { return int(row[i].(float64)) }
		spec := resize.Spec{Box: resize.Rect{Left: n(1), Top: n(2), Width: n(3), Height: n(4)}, Width: n(5), Height: n(6),
			FlipX: n(7) == 1, FlipY: n(8) == 1}
		require.NoError(t, spec.Filter.UnmarshalText([]byte(row[9].(string))))
		got, _ := decodetest.Image(t, d, decodetest.ReadFile(t, media, row[0].(string)), image.Spec{Resize: spec})
		require.Equal(t, row[10], fmt.Sprintf("%x", sha256.Sum256(got)), "%v", row)
	}
}

// A crop box that extends beyond the image is padded there, and mirrored with its padding.
func TestDrawnCropIsPadded(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	r := rand.New(rand.NewPCG(6, 6))
	pad := [3]uint8{10, 20, 30}
	for _, name := range []string{"s420.jpg", "exif3.jpg", "exif6.jpg", "rgb.png"} {
		data := decodetest.ReadFile(t, media, "hard/good", name)
		whole, all := decodetest.Image(t, d, data, image.Spec{})
		width, height := all.Info.Oriented()
		for range 20 {
			spec := resize.Spec{CropWidth: 40, CropHeight: 30, PadColor: pad, FlipX: r.IntN(2) == 1, FlipY: r.IntN(2) == 1,
				CropRight: r.IntN(width+30) - (width+30)/2, CropDown: r.IntN(height+20) - (height+20)/2}
			got, report := decodetest.Image(t, d, data, image.Spec{Resize: spec})
			left, top := int(report.Region.Left), int(report.Region.Top)
			want := make([]byte, 0, 40*30*3)
			for y := top; y < top+30; y++ {
				for x := left; x < left+40; x++ {
					pixel := pad[:]
					if x >= 0 && y >= 0 && x < width && y < height {
						pixel = whole[(y*width+x)*3:][:3]
					}
					want = append(want, pixel...)
				}
			}
			require.Equal(t, decodetest.Mirror(want, 40, 30, spec.FlipX, spec.FlipY), got, "%s: %+v", name, spec)
			require.Equal(t, [2]bool{spec.FlipX, spec.FlipY}, [2]bool{report.FlipX, report.FlipY})
		}
	}
}

func TestDrawFails(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	file, _ := noise(9, 5)
	none := errors.New("nothing drawn")
	_, _, err := d.Images.Decode(ctx, spool.Bytes{Data: file},
		image.Spec{Draw: func(width, height int) (resize.Spec, error) {
			require.Equal(t, [2]int{9, 5}, [2]int{width, height})
			return resize.Spec{}, none
		}})
	require.ErrorIs(t, err, none)
	_, _, err = d.Images.Decode(ctx, spool.Bytes{Data: file}, image.Spec{Draw: func(int, int) (resize.Spec, error) {
		return resize.Spec{Box: resize.Rect{Width: 10, Height: 5}}, nil
	}})
	require.ErrorIs(t, err, spool.ErrShape)
	_, err = d.Images.DecodeInto(ctx, spool.Bytes{Data: file}, make([]byte, 12),
		image.Spec{Resize: resize.Spec{Width: 2, Height: 2},
			Draw: func(int, int) (resize.Spec, error) { return resize.Spec{Width: 3, Height: 2}, nil }})
	require.ErrorIs(t, err, spool.ErrShape)
}
