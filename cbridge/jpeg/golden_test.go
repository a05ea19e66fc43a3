package jpeg_test

import (
	"bytes"
	"image"
	"image/color"
	stdjpeg "image/jpeg"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cbridge/jpeg"
	"github.com/spoolmedia/spool/internal/lanetest"
)

func TestPixelsAreTorchvisionsAndPillows(t *testing.T) {
	for name, want := range lanetest.Goldens[golden](t) {
		t.Run(name, func(t *testing.T) {
			data := lanetest.Read(t, name)
			h, err := jpeg.ReadHeader(data)
			require.NoError(t, err)
			assert.Equal(t, []int{want.Width, want.Height, 8}, []int{h.Width, h.Height, h.Precision})

			rgb, report, err := decode(t, data, jpeg.Options{})
			require.NoError(t, err)
			assert.Equal(t, want.RGB, lanetest.Digest(rgb))
			assert.Equal(t, jpeg.Report{Width: want.Width, Height: want.Height, Rows: want.Height, Fraction: 1}, report)

			gray, _, err := decode(t, data, jpeg.Options{Color: jpeg.Gray})
			require.NoError(t, err)
			assert.Equal(t, want.Gray, lanetest.Digest(gray))

			bgr, _, err := decode(t, data, jpeg.Options{Color: jpeg.BGR})
			require.NoError(t, err)
			for i := 0; i < len(bgr); i += 3 {
				bgr[i], bgr[i+2] = bgr[i+2], bgr[i]
			}
			assert.Equal(t, rgb, bgr)
		})
	}
}

// Go's decoder has another DCT and repeats chroma samples instead of interpolating them. So luma must be close
// everywhere, and color only if chroma is not subsampled.
func TestPixelsAreCloseToGosOwn(t *testing.T) {
	compared := 0
	for name := range lanetest.Goldens[golden](t) {
		data := lanetest.Read(t, name)
		img, err := stdjpeg.Decode(bytes.NewReader(data))
		if err != nil {
			require.Regexp(t, "^arithmetic|441|^cmyk_plain", name, "%v: Go decodes the others", err)
			continue
		}
		ycc, ok := img.(*image.YCbCr)
		if !ok {
			continue
		}
		compared++
		h, err := jpeg.ReadHeader(data)
		require.NoError(t, err)
		sub := [2]int{1, 1}
		switch ycc.SubsampleRatio {
		case image.YCbCrSubsampleRatio422:
			sub = [2]int{2, 1}
		case image.YCbCrSubsampleRatio420:
			sub = [2]int{2, 2}
		case image.YCbCrSubsampleRatio440:
			sub = [2]int{1, 2}
		case image.YCbCrSubsampleRatio411, image.YCbCrSubsampleRatio410:
			sub = [2]int{}
		}
		assert.Equal(t, sub[0], h.SubX, name)
		assert.Equal(t, sub[1], h.SubY, name)
		gray, report, err := decode(t, data, jpeg.Options{Color: jpeg.Gray})
		require.NoError(t, err)
		for y := range report.Height {
			for x := range report.Width {
				require.InDelta(t, ycc.Y[ycc.YOffset(x, y)], gray[y*report.Width+x], 2, "%s: luma at %d, %d", name, x, y)
			}
		}
		if ycc.SubsampleRatio != image.YCbCrSubsampleRatio444 {
			continue
		}
		rgb, _, err := decode(t, data, jpeg.Options{})
		require.NoError(t, err)
		for i := 0; i < len(rgb); i += 3 {
			at := ycc.YCbCrAt(i/3%report.Width, i/3/report.Width)
			r, g, b := color.YCbCrToRGB(at.Y, at.Cb, at.Cr)
			for j, want := range []uint8{r, g, b} {
				require.InDelta(t, want, rgb[i+j], 5, "%s: byte %d", name, i+j)
			}
		}
	}
	assert.Greater(t, compared, 30)
}

func TestHeader(t *testing.T) {
	for name, want := range map[string]jpeg.Header{
		"s420.jpg": {Width: 41, Height: 93, Components: 3, Space: jpeg.SpaceYCbCr, Precision: 8, SubX: 2, SubY: 2},
		"p420.jpg": {Width: 41, Height: 93, Components: 3, Space: jpeg.SpaceYCbCr, Precision: 8,
			Progressive: true, SubX: 2, SubY: 2},
		"gray.jpg": {Width: 41, Height: 93, Components: 1, Space: jpeg.SpaceGray, Precision: 8, SubX: 1, SubY: 1},
		"rgb.jpg":  {Width: 41, Height: 93, Components: 3, Space: jpeg.SpaceRGB, Precision: 8, SubX: 1, SubY: 1},
		"cmyk.jpg": {Width: 37, Height: 50, Components: 4, Space: jpeg.SpaceCMYK, Precision: 8},
		"ycck.jpg": {Width: 37, Height: 50, Components: 4, Space: jpeg.SpaceYCCK, Precision: 8},
		"arithmetic_progressive.jpg": {Width: 41, Height: 93, Components: 3, Space: jpeg.SpaceYCbCr, Precision: 8,
			Progressive: true, SubX: 2, SubY: 2},
	} {
		h, err := jpeg.ReadHeader(lanetest.Read(t, name))
		require.NoError(t, err)
		assert.Equal(t, want, h, name)
	}
	assert.Equal(t, "YCCK", jpeg.SpaceYCCK.String())
	assert.Equal(t, "unknown", jpeg.SpaceUnknown.String())
}
