package resize_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/short"
	"github.com/spoolmedia/spool/resize"
)

// ints converts a recorded row to integers.
func ints(row []float64) []int {
	out := make([]int, len(row))
	for i, v := range row {
		out[i] = int(v)
	}
	return out
}

func plan(t *testing.T, spec resize.Spec, width, height int) resize.Plan {
	t.Helper()
	p, err := spec.Plan(width, height, nil)
	require.NoError(t, err)
	return p
}

func TestFitIsImageOpsPad(t *testing.T) {
	rows := readGolden(t).Fit
	require.NotEmpty(t, rows)
	for _, row := range rows {
		r := ints(row)
		p := plan(t, resize.Spec{Width: r[2], Height: r[3], Mode: resize.Fit}, r[0], r[1])
		got := []int{p.OutWidth, p.OutHeight, p.X, p.Y, p.W, p.H}
		assert.Equal(t, r[2:], got, "%v", r)
	}
}

func TestCoverIsImageOpsFit(t *testing.T) {
	rows := readGolden(t).Cover
	require.NotEmpty(t, rows)
	for _, row := range rows {
		r := ints(row[:4])
		spec := resize.Spec{Width: r[2], Height: r[3], Mode: resize.Cover}
		assert.Equal(t, [4]float32{float32(row[4]), float32(row[5]), float32(row[6]), float32(row[7])}, spec.Part(r[0], r[1]),
			"%v", r)
		p := plan(t, spec, r[0], r[1])
		assert.Equal(t, []int{r[2], r[3], 0, 0, r[2], r[3]}, []int{p.OutWidth, p.OutHeight, p.X, p.Y, p.W, p.H}, "%v", r)
	}
}

func TestShorterIsTorchvisionResize(t *testing.T) {
	rows := readGolden(t).Shorter
	require.NotEmpty(t, rows)
	for _, row := range short.Some(rows, 4) {
		r := ints(row)
		p := plan(t, resize.Spec{Shorter: r[2]}, r[0], r[1])
		got := []int{p.OutWidth, p.OutHeight}
		assert.Equal(t, r[3:], got, "%v", r)
	}
}

// Rows are width, height, size or 0 for None, max_size, and the result of torchvision 0.29's
// _compute_resized_output_size.
func TestMaxSizeIsTorchvisionResize(t *testing.T) {
	for _, r := range [][6]int{
		{138, 583, 33, 164, 33, 139}, {121, 508, 231, 473, 112, 473}, {668, 389, 108, 157, 157, 91},
		{500, 30, 0, 200, 200, 12},
		{444, 623, 2, 231, 2, 2}, {273, 739, 118, 171, 63, 171}, {326, 32, 12, 26, 26, 2}, {666, 555, 0, 5, 5, 4},
		{391, 703, 111, 328, 111, 199}, {744, 30, 271, 385, 385, 15}, {783, 449, 254, 538, 442, 254},
		{239, 354, 0, 119, 80, 119},
		{694, 225, 236, 385, 385, 124}, {23, 427, 285, 337, 18, 337}, {191, 645, 152, 214, 63, 214},
		{761, 341, 0, 257, 257, 115},
	} {
		p := plan(t, resize.Spec{Shorter: r[2], MaxSize: r[3]}, r[0], r[1])
		got := []int{p.OutWidth, p.OutHeight}
		assert.Equal(t, r[4:], got, "%v", r)
	}
	p := plan(t, resize.Spec{Shorter: 50, MaxSize: 100}, 3, 5000) // where torchvision fails
	assert.Equal(t, []int{1, 100}, []int{p.OutWidth, p.OutHeight})
}

func TestCropIsTorchvisionCenterCrop(t *testing.T) {
	rows := readGolden(t).Crop
	require.NotEmpty(t, rows)
	for _, row := range rows {
		r := ints(row)
		p := plan(t, resize.Spec{CropWidth: r[2], CropHeight: r[3]}, r[0], r[1])
		got := []int{p.OutWidth, p.OutHeight, p.Left, p.Top, p.X, p.Y}
		assert.Equal(t, r[2:], got, "%v", r)
		assert.Equal(t, []int{min(r[0], r[2]), min(r[1], r[3])}, []int{p.W, p.H}, "%v", r)
		assert.Nil(t, p.Horizontal.Start)
		assert.Nil(t, p.Vertical.Start)
	}
}

// If Pillow's rounding leaves nothing of an image, one pixel remains.
func TestFitKeepsAPixel(t *testing.T) {
	p := plan(t, resize.Spec{Width: 100, Height: 80, Mode: resize.Fit}, 5000, 3)
	assert.Equal(t, []int{100, 80, 0, 40, 100, 1}, []int{p.OutWidth, p.OutHeight, p.X, p.Y, p.W, p.H})
	p = plan(t, resize.Spec{Width: 100, Height: 80, Mode: resize.Fit}, 3, 5000)
	assert.Equal(t, []int{100, 80, 50, 0, 1, 80}, []int{p.OutWidth, p.OutHeight, p.X, p.Y, p.W, p.H})
}

// A crop after a resize has the same taps as the whole resize, and needs less of the source.
func TestCropTakesTheMiddleOfTheResize(t *testing.T) {
	for _, filter := range []resize.Filter{resize.Bilinear, resize.Bicubic, resize.Lanczos, resize.Box, resize.Nearest} {
		whole := plan(t, resize.Spec{Shorter: 256, Filter: filter}, 500, 375)
		crop := plan(t, resize.Spec{Shorter: 256, CropWidth: 224, CropHeight: 100, Filter: filter}, 500, 375)
		require.Equal(t, []int{341, 256}, []int{whole.OutWidth, whole.OutHeight})
		const left, top = 58, 78 // round((341-224)/2) = 58, to even
		assert.Equal(t, whole.Horizontal.Precision, crop.Horizontal.Precision)
		assert.Equal(t, taps(whole.Horizontal, whole.Left)[left:left+224], taps(crop.Horizontal, crop.Left), filter)
		assert.Equal(t, taps(whole.Vertical, whole.Top)[top:top+100], taps(crop.Vertical, crop.Top), filter)
		assert.Greater(t, crop.Left, whole.Left)
		assert.Less(t, crop.Bottom, whole.Bottom)
	}
}

// taps returns the weights of each output by source pixel.
func taps(a *resize.Axis, first int) []map[int]int {
	out := make([]map[int]int, a.Out)
	for i := range out {
		out[i] = map[int]int{}
		for j, w := range axisWeights(a, i) {
			if w != 0 {
				out[i][first+int(a.Start[i])+j] = w
			}
		}
	}
	return out
}
