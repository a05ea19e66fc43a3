package decode_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/resize"
)

// cut is a part of a picture of 3 channels.
func cut(pixels []byte, width int, box resize.Rect) (part []byte) {
	for y := box.Top; y < box.Top+box.Height; y++ {
		at := (y*width + box.Left) * 3
		part = append(part, pixels[at:at+3*box.Width]...)
	}
	return part
}

// What is drawn is cropped out of the upright picture first and then resized, in every lane and
// orientation: the bytes of torchvision's resized_crop.
func TestDrawnBoxIsACropBeforeTheResize(t *testing.T) {
	d := newDecoder(t, decode.Options{})
	r := rand.New(rand.NewPCG(5, 5))
	for _, name := range []string{"s420.jpg", "progressive.jpg", "exif2.jpg", "exif5.jpg", "exif6.jpg", "exif8.jpg", "rgb.png", "rgb.bmp"} {
		data := readFile(t, media, "hard/good", name)
		whole, _ := pixels(t, d, data, decode.ImageSpec{})
		for range 12 {
			var box resize.Rect
			size := [2]int{1 + r.IntN(60), 1 + r.IntN(60)}
			got, report := pixels(t, d, data, decode.ImageSpec{Draw: func(width, height int) (resize.Spec, error) {
				box = resize.Rect{Width: 1 + r.IntN(width), Height: 1 + r.IntN(height)}
				box.Left, box.Top = r.IntN(width-box.Width+1), r.IntN(height-box.Height+1)
				return resize.Spec{Box: box, Width: size[0], Height: size[1]}, nil
			}})
			width, _ := report.Info.Oriented()
			part := append(fmt.Appendf(nil, "P6 %d %d 255\n", box.Width, box.Height), cut(whole, width, box)...)
			want, _ := pixels(t, d, part, decode.ImageSpec{Resize: resize.Spec{Width: size[0], Height: size[1]}})
			require.Equal(t, want, got, "%s: %v to %v", name, box, size)
			require.Equal(t, resize.Region{Left: float64(box.Left), Top: float64(box.Top),
				Width: float64(box.Width), Height: float64(box.Height)}, report.Region)
		}
	}
}

func TestDrawFails(t *testing.T) {
	d := newDecoder(t, decode.Options{})
	file, _ := noise(9, 5)
	none := errors.New("nothing drawn")
	_, _, err := d.Image(ctx, file, decode.ImageSpec{Draw: func(width, height int) (resize.Spec, error) {
		require.Equal(t, [2]int{9, 5}, [2]int{width, height})
		return resize.Spec{}, none
	}})
	require.ErrorIs(t, err, none)
	_, _, err = d.Image(ctx, file, decode.ImageSpec{Draw: func(int, int) (resize.Spec, error) {
		return resize.Spec{Box: resize.Rect{Width: 10, Height: 5}}, nil
	}})
	require.ErrorIs(t, err, spool.ErrShape)
	_, err = d.ImageInto(ctx, file, make([]byte, 12), decode.ImageSpec{Resize: resize.Spec{Width: 2, Height: 2},
		Draw: func(int, int) (resize.Spec, error) { return resize.Spec{Width: 3, Height: 2}, nil }})
	require.ErrorIs(t, err, spool.ErrShape)
}
