package resize_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/resize"
)

// axisWeights returns the weights of one output, including those beyond its window.
func axisWeights(a *resize.Axis, i int) []int {
	weights := make([]int, a.Stride)
	for j := range weights {
		if a.Wide != nil {
			weights[j] = int(a.Wide[i*a.Stride+j])
		} else {
			weights[j] = int(a.Weights[i*a.Stride+j])
		}
	}
	return weights
}

// axisProblem checks the documented properties of an axis. It uses plain comparisons because there may be thousands of
// outputs.
func axisProblem(a *resize.Axis, first, in int) error {
	n := a.Out
	switch {
	case first < 0 || first+a.In > in || n <= 0:
		return fmt.Errorf("%d to %d from %d", a.In, n, first)
	case a.Start == nil && a.In == n && a.Weights == nil && a.Wide == nil:
		return nil
	case len(a.Start) != n || len(a.Count) != n || len(a.Weights)+len(a.Wide) != n*a.Stride || a.Stride%2 != 0:
		return fmt.Errorf("%d starts, %d counts, %d weights in rows of %d", len(a.Start), len(a.Count),
			len(a.Weights)+len(a.Wide), a.Stride)
	case a.Precision < 1 || a.Precision > 30 || a.Precision > 22 && a.Wide == nil:
		return fmt.Errorf("precision %d", a.Precision)
	case a.Start[0] != 0:
		return fmt.Errorf("columns are left over before %d", a.Start[0])
	}
	one := 1 << a.Precision
	start, end := int32(0), int32(0)
	for i := range n {
		from, count := a.Start[i], a.Count[i]
		if from < start || from+count < end || count < 1 || int(count) > a.Stride {
			return fmt.Errorf("output %d: %d taps from %d, after [%d, %d)", i, count, from, start, end)
		}
		start, end = from, from+count
		sum, magnitude := 0, 0
		for j, w := range axisWeights(a, i) {
			sum += w
			magnitude += max(w, -w)
			if j >= int(count) && w != 0 {
				return fmt.Errorf("output %d: weight %d after %d taps", i, w, count)
			}
		}
		// Each weight has an error of at most half a unit, including the few that became zero and were dropped.
		if off := max(sum-one, one-sum); off > (int(count)+8)/2 {
			return fmt.Errorf("output %d: %d weights add up to %d and not to %d", i, count, sum, one)
		}
		if a.Precision <= 22 && magnitude*255+one/2 > math.MaxInt32 {
			return fmt.Errorf("output %d: the sum may overflow", i)
		}
	}
	if int(end) != a.In {
		return fmt.Errorf("%d pixels in, the last window ends at %d", a.In, end)
	}
	return nil
}

func checkPlan(t *testing.T, p resize.Plan, width, height int) {
	t.Helper()
	require.NoError(t, axisProblem(p.Horizontal, p.Left, width))
	require.NoError(t, axisProblem(p.Vertical, p.Top, height))
	require.Equal(t, []int{p.Horizontal.In, p.Vertical.In, p.Horizontal.Out, p.Vertical.Out},
		[]int{p.Right - p.Left, p.Bottom - p.Top, p.W, p.H})
	require.True(t, p.X >= 0 && p.X+p.W <= p.OutWidth && p.Y >= 0 && p.Y+p.H <= p.OutHeight, "%+v", p)
}

func TestAxesOfManySizes(t *testing.T) {
	for filter := resize.Bilinear; filter <= resize.Nearest; filter++ {
		for in := 1; in < 48; in++ {
			for out := 1; out < 48; out++ {
				spec := resize.Spec{Width: out, Height: 100 - out, Mode: resize.Mode(in % 3), Filter: filter}
				checkPlan(t, plan(t, spec, in, 50), in, 50)
			}
		}
	}
}

// Wide weights add up to one, except for half a unit each.
func TestWeightsAddUp(t *testing.T) {
	for _, spec := range []resize.Spec{
		{Filter: resize.Lanczos}, {Filter: resize.Box}, {Filter: resize.Nearest}, {Profile: resize.Pillow},
		{Filter: resize.Bicubic, Bits: 16}, {Filter: resize.Lanczos, Bits: 16},
	} {
		for out := 1; out < 300; out += 7 {
			spec.Width, spec.Height = out, 1
			p := plan(t, spec, 101, 1)
			for i, weights := range taps(p.Horizontal, p.Left) {
				sum := 0
				for _, w := range weights {
					sum += w
				}
				require.InDelta(t, 1<<p.Horizontal.Precision, sum, float64(len(weights)+1)/2, "%+v: output %d of %d", spec, i, out)
			}
		}
	}
}

// The bits of weights are those of the profile, or of the depth.
func TestPrecision(t *testing.T) {
	for _, test := range []struct {
		spec      resize.Spec
		wide      bool
		precision int
	}{
		{resize.Spec{}, false, 16},
		{resize.Spec{Profile: resize.Fast}, false, 16},
		{resize.Spec{Profile: resize.Pillow}, true, 22},
		{resize.Spec{Filter: resize.Lanczos}, true, 22},
		{resize.Spec{Bits: 16}, true, 30},
		{resize.Spec{Bits: 16, Profile: resize.Pillow}, true, 30},
		{resize.Spec{Profile: resize.Pillow, Filter: resize.Nearest}, false, 14},
	} {
		test.spec.Width, test.spec.Height = 100, 100
		p := plan(t, test.spec, 300, 300)
		assert.Equal(t, test.wide, p.Horizontal.Wide != nil, "%+v", test.spec)
		assert.Equal(t, !test.wide, p.Horizontal.Weights != nil, "%+v", test.spec)
		assert.Equal(t, test.precision, p.Horizontal.Precision, "%+v", test.spec)
	}
}

func TestOwnSizeIsIdentity(t *testing.T) {
	for _, spec := range []resize.Spec{
		{},
		{Filter: resize.Lanczos},
		{Width: 640, Height: 480},
		{Width: 640, Height: 480, Mode: resize.Fit},
		{Width: 640, Height: 480, Mode: resize.Cover},
		{Shorter: 480},
	} {
		p := plan(t, spec, 640, 480)
		assert.Equal(t, resize.Axis{In: 640, Out: 640}, *p.Horizontal, "%+v", spec)
		assert.Equal(t, resize.Axis{In: 480, Out: 480}, *p.Vertical, "%+v", spec)
		checkPlan(t, p, 640, 480)
	}
}

// A side that keeps its size needs no pass, also if Cover only crops the other side.
func TestOneSideIsIdentity(t *testing.T) {
	p := plan(t, resize.Spec{Width: 640, Height: 100}, 640, 480)
	assert.Nil(t, p.Horizontal.Start)
	assert.NotNil(t, p.Vertical.Start)
	p = plan(t, resize.Spec{Width: 400, Height: 480, Mode: resize.Cover}, 640, 480)
	assert.Equal(t, []int{120, 0, 520, 480}, []int{p.Left, p.Top, p.Right, p.Bottom})
	assert.Nil(t, p.Horizontal.Start)
	assert.Nil(t, p.Vertical.Start)
}

// Known taps: halving has weights of 1, 3, 3 and 1 eighths, renormalized at borders.
func TestHalving(t *testing.T) {
	p := plan(t, resize.Spec{Width: 4, Height: 8}, 8, 8)
	assert.Equal(t, 16, p.Horizontal.Precision)
	const one = 1 << 16
	assert.Equal(t, []map[int]int{
		{0: 28087, 1: 28087, 2: 9362},
		{1: one / 8, 2: 3 * one / 8, 3: 3 * one / 8, 4: one / 8},
		{3: one / 8, 4: 3 * one / 8, 5: 3 * one / 8, 6: one / 8},
		{5: 9362, 6: 28087, 7: 28087},
	}, taps(p.Horizontal, p.Left))
}

func TestFlatImagesStayFlat(t *testing.T) {
	flat := newImage(61, 47, 1)
	for i := range flat.pixels {
		flat.pixels[i] = 255
	}
	for filter := resize.Bilinear; filter <= resize.Nearest; filter++ {
		for _, size := range [][2]int{{7, 9}, {200, 3}, {61, 90}, {333, 100}} {
			p := plan(t, resize.Spec{Width: size[0], Height: size[1], Filter: filter}, 61, 47)
			for _, v := range render(p, flat, [3]uint8{}).pixels {
				require.Equal(t, uint8(255), v, "%v %v", filter, size)
			}
		}
	}
}

// The order of passes is Pillow 13's if the pixels are Pillow's.
func TestVerticalFirst(t *testing.T) {
	lanczos := resize.Spec{Width: 224, Height: 224, Filter: resize.Lanczos}
	assert.True(t, plan(t, lanczos, 375, 527).VerticalFirst)  // 303 > 2 * 151
	assert.False(t, plan(t, lanczos, 375, 526).VerticalFirst) // 302
	assert.False(t, plan(t, lanczos, 224, 500).VerticalFirst, "one pass only")
	assert.False(t, plan(t, lanczos, 100, 200).VerticalFirst, "the height grows")
	bicubic := resize.Spec{Width: 224, Height: 224, Filter: resize.Bicubic}
	assert.False(t, plan(t, bicubic, 300, 900).VerticalFirst)
	bicubic.Profile = resize.Pillow
	assert.True(t, plan(t, bicubic, 300, 900).VerticalFirst)
}

func TestPlanRefuses(t *testing.T) {
	for _, size := range [][2]int{{0, 1}, {1, 0}, {-1, 5}} {
		_, err := resize.Spec{}.Plan(size[0], size[1], nil)
		assert.ErrorIs(t, err, spool.ErrShape, size)
	}
	var refused *spool.Error
	_, err := resize.Spec{Shorter: 224}.Plan(1, 60000, nil)
	require.ErrorAs(t, err, &refused)
	assert.EqualError(t, err, "resize: too-large: 1x60000 to 224x13440000: a side is above the limit of 262144")
	_, err = resize.Spec{Width: 224, Height: 224}.Plan(10, resize.MaxEdge+1, nil)
	assert.ErrorIs(t, err, spool.ErrTooLarge)
}

// Sizes at the limits are planned; an image at its own size may have any size.
func TestExtremes(t *testing.T) {
	for filter := resize.Bilinear; filter <= resize.Nearest; filter++ {
		for _, c := range [][4]int{{60000, 60000, 1, 1}, {1, 1, 60000, 2}, {resize.MaxEdge, 1, 1, resize.MaxEdge}} {
			checkPlan(t, plan(t, resize.Spec{Width: c[2], Height: c[3], Filter: filter}, c[0], c[1]), c[0], c[1])
		}
	}
	p := plan(t, resize.Spec{CropWidth: 100, CropHeight: 1}, 1<<30, 1)
	assert.Equal(t, []int{1<<29 - 50, 1<<29 + 50}, []int{p.Left, p.Right})
}

// BenchmarkPlan plans an image of ImageNet's usual size, with a new size each time, and with a cached one.
func BenchmarkPlan(b *testing.B) {
	spec := resize.Spec{Width: 224, Height: 224}
	for name, tables := range map[string]*resize.Tables{"new": nil, "tables": {}} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := spec.Plan(500, 375, tables); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
