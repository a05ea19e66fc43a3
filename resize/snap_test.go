package resize_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/resize"
)

// Sizes are those of smart_resize of transformers' Qwen2-VL, by its function with factor 28 and its default bounds.
func TestSnapIsQwens(t *testing.T) {
	for _, x := range []struct{ width, height, wantWidth, wantHeight int }{
		{500, 375, 504, 364}, {375, 500, 364, 504}, {28, 28, 56, 56}, {1000, 1000, 980, 980}, {4000, 3000, 1148, 840},
		{10, 2000, 28, 812}, {42, 70, 56, 56}, {14, 14, 56, 56}, {1920, 1080, 1316, 728}, {98, 126, 112, 112},
	} {
		plan, err := resize.Spec{Snap: resize.Snap{Multiple: 28, MinPixels: 56 * 56, MaxPixels: 14 * 14 * 4 * 1280}}.Plan(
			x.width, x.height, nil)
		require.NoError(t, err)
		assert.Equal(t, [2]int{x.wantWidth, x.wantHeight}, [2]int{plan.OutWidth, plan.OutHeight}, "%dx%d", x.width, x.height)
	}
}

// Sides are multiples, within the bounds, and of about the same aspect ratio.
func TestSnap(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		n := resize.Snap{Multiple: 1 + r.IntN(40), MinPixels: r.IntN(2) * 5000, MaxPixels: r.IntN(2) * 100000}
		spec := resize.Spec{Snap: n}
		_, _, fixed := spec.Size()
		assert.False(t, fixed)
		width, height := 100+r.IntN(900), 100+r.IntN(900)
		plan, err := spec.Plan(width, height, nil)
		require.NoError(t, err)
		assert.Zero(t, plan.OutWidth%n.Multiple)
		assert.Zero(t, plan.OutHeight%n.Multiple)
		area := plan.OutWidth * plan.OutHeight
		assert.True(t, n.MaxPixels == 0 || area <= n.MaxPixels, "%+v %dx%d", n, plan.OutWidth, plan.OutHeight)
		assert.GreaterOrEqual(t, area, n.MinPixels)
		exact := float64(plan.OutHeight) * float64(width) / float64(height)
		assert.InDelta(t, exact, plan.OutWidth, 2*float64(n.Multiple)*max(1, float64(width)/float64(height)))
	}
}

func TestSnapOptions(t *testing.T) {
	for text, spec := range map[string]resize.Spec{
		"must not be negative":                      {Snap: resize.Snap{Multiple: -1}},
		"Snap.MinPixels needs Snap.Multiple":        {Snap: resize.Snap{MinPixels: 5}},
		"must be in this order":                     {Snap: resize.Snap{Multiple: 5, MinPixels: 9, MaxPixels: 8}},
		"Snap.Multiple excludes Width and Height":   {Snap: resize.Snap{Multiple: 5}, Width: 5, Height: 5},
		"Snap.Multiple excludes Shorter":            {Snap: resize.Snap{Multiple: 5}, Shorter: 5},
		"Snap.Multiple excludes CropWidth and Crop": {Snap: resize.Snap{Multiple: 5}, CropWidth: 5, CropHeight: 5},
	} {
		require.ErrorContains(t, spec.Validate(), text)
	}
}
