package resize_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/order"
	"github.com/spoolmedia/spool/resize"
)

func draw(t *testing.T, a resize.Augment, s resize.Spec, seed, epoch, id uint64) resize.Spec {
	t.Helper()
	require.NoError(t, a.Validate(s))
	drawn, err := a.Draw(s, order.Draw{Seed: seed, Epoch: epoch, ID: id}, 500, 375)
	require.NoError(t, err)
	return drawn
}

// The draws of a sample are fixed for all releases, and do not depend on other draws for the sample.
func TestDrawsAreFixed(t *testing.T) {
	spec := resize.Spec{Width: 224, Height: 224}
	all := resize.Augment{ResizedCrop: new(resize.RandomResizedCrop), FlipX: 0.5, FlipY: 0.5}
	for id, want := range []resize.Spec{
		{Box: resize.Rect{Left: 22, Top: 19, Width: 347, Height: 276}, FlipX: true},
		{Box: resize.Rect{Left: 114, Top: 8, Width: 382, Height: 341}},
		{Box: resize.Rect{Left: 55, Top: 25, Width: 353, Height: 277}, FlipX: true, FlipY: true},
		{Box: resize.Rect{Left: 9, Top: 14, Width: 323, Height: 333}},
	} {
		want.Width, want.Height = 224, 224
		assert.Equal(t, want, draw(t, all, spec, 1, 2, uint64(id)))
		assert.Equal(t, want.Box, draw(t, resize.Augment{ResizedCrop: all.ResizedCrop}, spec, 1, 2, uint64(id)).Box)
		assert.Equal(t, want.FlipX, draw(t, resize.Augment{FlipX: 0.5}, spec, 1, 2, uint64(id)).FlipX)
	}
	assert.Equal(t, spec, draw(t, resize.Augment{}, spec, 1, 2, 3))
}

func TestDrawsDependOnEachPartOfTheKey(t *testing.T) {
	a := resize.Augment{ResizedCrop: new(resize.RandomResizedCrop)}
	seen := map[resize.Rect]bool{}
	for seed := range uint64(3) {
		for epoch := range uint64(3) {
			for id := range uint64(3) {
				for occurrence := range 3 {
					s, err := a.Draw(resize.Spec{}, order.Draw{Seed: seed, Epoch: epoch, ID: id, Occurrence: occurrence}, 500, 375)
					require.NoError(t, err)
					seen[s.Box] = true
				}
			}
		}
	}
	assert.Len(t, seen, 81)
}

func TestFlipsComeWithTheirProbability(t *testing.T) {
	const n = 10000
	var x, y, both int
	for id := range uint64(n) {
		s := draw(t, resize.Augment{FlipX: 0.5, FlipY: 0.1}, resize.Spec{}, 3, 0, id)
		if s.FlipX {
			x++
		}
		if s.FlipY {
			y++
		}
		if s.FlipX && s.FlipY {
			both++
		}
		require.True(t, draw(t, resize.Augment{FlipX: 1}, resize.Spec{}, 3, 0, id).FlipX)
		require.False(t, draw(t, resize.Augment{FlipX: 1}, resize.Spec{FlipX: true}, 3, 0, id).FlipX, "mirrored twice")
	}
	assert.InDelta(t, 0.5, float64(x)/n, 0.02)
	assert.InDelta(t, 0.1, float64(y)/n, 0.012)
	assert.InDelta(t, 0.05, float64(both)/n, 0.009)
}

// A random crop is inside the resized image or the resized box, and every position occurs.
func TestRandomCropAfterTheResize(t *testing.T) {
	a := resize.Augment{Crop: new(resize.RandomCrop)}
	spec := resize.Spec{Shorter: 40, CropWidth: 37, CropHeight: 39} // 53x40 of 500x375
	seen := map[[2]float64]bool{}
	for id := range uint64(600) {
		p := plan(t, draw(t, a, spec, 0, 0, id), 500, 375)
		require.Equal(t, []int{37, 39, 37, 39}, []int{p.W, p.H, p.OutWidth, p.OutHeight}, "no padding")
		seen[[2]float64{p.Region.Left, p.Region.Top}] = true
	}
	assert.Len(t, seen, 17*2)

	_, err := a.Draw(resize.Spec{Shorter: 40, CropWidth: 41, CropHeight: 41}, order.Draw{}, 500, 375)
	assert.ErrorIs(t, err, spool.ErrUnsupported)
	_, err = a.Draw(resize.Spec{Box: resize.Rect{Width: 9, Height: 9}, CropWidth: 10, CropHeight: 9}, order.Draw{}, 500,
		375)
	assert.ErrorContains(t, err, "an image of 9x9 is too small for a random crop of 10x9")

	padded := draw(t, resize.Augment{Crop: &resize.RandomCrop{Padding: resize.Padding{Left: 4, Top: 4, Right: 4,
		Bottom: 4}}},
		resize.Spec{CropWidth: 500, CropHeight: 375}, 0, 0, 1)
	p := plan(t, padded, 500, 375)
	assert.Equal(t, []int{500, 375}, []int{p.OutWidth, p.OutHeight})
	assert.Less(t, p.W*p.H, 500*375)
}

func TestAugmentValidate(t *testing.T) {
	err := resize.Augment{
		ResizedCrop: &resize.RandomResizedCrop{Scale: [2]float64{2, 1}}, Crop: new(resize.RandomCrop), FlipX: -1, FlipY: 1.5,
	}.Validate(resize.Spec{Box: resize.Rect{Width: 1, Height: 1}})
	require.ErrorIs(t, err, spool.ErrOptions)
	assert.EqualError(t, err, `invalid options: Scale [2 1]: must ascend, above 0 and at most 1
invalid options: Box 1x1+0+0 excludes ResizedCrop: one of them chooses the crop
invalid options: Crop needs CropWidth and CropHeight: the size of the crop
invalid options: FlipX -1: a probability must be from 0 to 1
invalid options: FlipY 1.5: a probability must be from 0 to 1`)
	assert.ErrorContains(t, resize.Augment{Crop: &resize.RandomCrop{Padding: resize.Padding{Left: 5}}}.Validate(
		resize.Spec{CropWidth: 5, CropHeight: 5}), "smaller than the crop, 5x5")
}

func BenchmarkResizedCrop(b *testing.B) {
	var id uint64
	for b.Loop() {
		id++
		r := order.NewRand(0, 0, id, 1)
		resize.RandomResizedCrop{}.Draw(&r, 500, 375)
	}
}
