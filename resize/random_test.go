package resize_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/golden"
	"github.com/spoolmedia/spool/order"
	"github.com/spoolmedia/spool/resize"
)

// given returns the numbers that testdata/gen_draws.py passed to torchvision.
type given struct{ state uint64 }

func (g *given) Float64() float64 {
	word := golden.SplitMix64(g.state)()
	g.state += 0x9e3779b97f4a7c15
	return float64(word>>40) / (1 << 24)
}

func (g *given) IntN(n int) int { return int(g.Float64() * float64(n)) }

func draws(t *testing.T) (recorded struct{ RandomResizedCrop, RandomCrop [][]float64 }) {
	text, err := os.ReadFile("testdata/draws.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &recorded))
	return recorded
}

// The same random numbers give torchvision's boxes, whether they fit at once, after some attempts, or never.
func TestResizedCropIsTorchvisions(t *testing.T) {
	rows := draws(t).RandomResizedCrop
	require.Len(t, rows, 500)
	for i, row := range rows {
		c := resize.RandomResizedCrop{Scale: [2]float64(row[2:4]), Ratio: [2]float64(row[4:6])}
		require.NoError(t, c.Validate())
		if c.Scale == [2]float64{0.08, 1} {
			c = resize.RandomResizedCrop{} // the defaults
		}
		b := c.Draw(&given{uint64(i)}, int(row[0]), int(row[1]))
		if min(row[8], row[9]) == 0 { // torchvision's resize fails for these
			assert.Equal(t, 1, min(b.Width, b.Height))
			continue
		}
		got := []int{b.Left, b.Top, b.Width, b.Height}
		assert.Equal(t, ints(row[6:]), got, "%d: %v", i, row)
	}
}

func TestRandomCropIsTorchvisions(t *testing.T) {
	rows := draws(t).RandomCrop
	require.Len(t, rows, 200)
	refused := 0
	for i, row := range rows {
		r := ints(row)
		c := resize.RandomCrop{Padding: resize.Padding{Left: r[4], Top: r[5], Right: r[6], Bottom: r[7]},
			PadIfNeeded: r[8] == 1}
		require.NoError(t, c.Validate(r[2], r[3]))
		left, top, err := c.Draw(&given{uint64(i)}, r[0], r[1], r[2], r[3])
		if len(r) == 9 {
			refused++
			require.ErrorIs(t, err, spool.ErrUnsupported)
			continue
		}
		require.NoError(t, err)
		got := []int{left, top}
		assert.Equal(t, r[9:], got, "%d: %v", i, row)
		_, err = resize.Augment{Crop: &c}.Draw(resize.Spec{CropWidth: r[2], CropHeight: r[3]}, order.Draw{ID: uint64(i)},
			r[0], r[1])
		require.NoError(t, err)
	}
	assert.Greater(t, refused, 10)
}

// Over many samples areas are uniform, ratios uniform in their logarithm, and positions uniform in the remaining range.
func TestDistributionOfResizedCrops(t *testing.T) {
	const n, bins, side = 20000, 20, 100000 // rounding has no effect on such a side, and all boxes fit
	c := resize.RandomResizedCrop{Scale: [2]float64{0.1, 0.5}}
	var area, ratio, left, top [bins]int
	count := func(h *[bins]int, x float64) { h[min(max(int(x*bins), 0), bins-1)]++ }
	for id := range uint64(n) {
		r := order.NewRand(7, 0, id, 1)
		b := c.Draw(&r, side, side)
		count(&area, (float64(b.Width)*float64(b.Height)/side/side-0.1)/0.4)
		count(&ratio, (math.Log(float64(b.Width)/float64(b.Height))/math.Log(4./3)+1)/2)
		count(&left, float64(b.Left)/float64(side-b.Width+1))
		count(&top, float64(b.Top)/float64(side-b.Height+1))
	}
	for name, h := range map[string][bins]int{"area": area, "log ratio": ratio, "left": left, "top": top} {
		chi := 0.0
		for _, k := range h {
			d := float64(k) - n/bins
			chi += d * d / (n / bins)
		}
		assert.Less(t, chi, 43.8, "%s: %v is beyond the 99.9th percentile of 19 degrees of freedom", name, h)
	}
}

func TestCropsAreWithinAnyImage(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2)) // implements Random as well
	for range 20000 {
		w, h := 1+r.IntN(1<<r.IntN(17)), 1+r.IntN(1<<r.IntN(17))
		c := resize.RandomResizedCrop{Scale: [2]float64{0.001 + r.Float64()/2, 1},
			Ratio: [2]float64{0.01 + r.Float64(), 1 + r.Float64()*100}}
		b := c.Draw(r, w, h)
		require.True(t, b.Width > 0 && b.Height > 0 && b.Left >= 0 && b.Top >= 0 && b.Left+b.Width <= w &&
			b.Top+b.Height <= h,
			"%v of %dx%d, %+v", b, w, h, c)
	}
}

func TestRandomValidate(t *testing.T) {
	nan := math.NaN()
	for _, c := range []resize.RandomResizedCrop{{Scale: [2]float64{0, 1}}, {Scale: [2]float64{0.5, 0.4}},
		{Scale: [2]float64{0.5, 1.1}},
		{Scale: [2]float64{nan, 1}}, {Ratio: [2]float64{0, 1}}, {Ratio: [2]float64{2, 1}},
		{Ratio: [2]float64{1, math.Inf(1)}}, {Ratio: [2]float64{1, nan}}} {
		assert.ErrorIs(t, c.Validate(), spool.ErrOptions, "%+v", c)
	}
	assert.ErrorContains(t, resize.RandomResizedCrop{Scale: [2]float64{2, 1}, Ratio: [2]float64{-1, 1}}.Validate(),
		"Scale [2 1]: must ascend, above 0 and at most 1\n")
	for _, p := range []resize.Padding{{Left: -1}, {Top: 8}, {Right: 9}, {Bottom: -5}} {
		assert.ErrorIs(t, resize.RandomCrop{Padding: p}.Validate(9, 8), spool.ErrOptions, "%+v", p)
	}
}
