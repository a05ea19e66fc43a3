package resize_test

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/resize"
)

func planWith(t *testing.T, tables *resize.Tables, spec resize.Spec, width, height int) resize.Plan {
	t.Helper()
	p, err := spec.Plan(width, height, tables)
	require.NoError(t, err)
	return p
}

func TestTablesShareAxes(t *testing.T) {
	var tables resize.Tables
	spec := resize.Spec{Width: 224, Height: 224}
	first := planWith(t, &tables, spec, 500, 375)
	again := planWith(t, &tables, spec, 500, 375)
	assert.Same(t, first.Horizontal, again.Horizontal)
	assert.Same(t, first.Vertical, again.Vertical)

	turned := planWith(t, &tables, spec, 375, 500)
	assert.Same(t, first.Horizontal, turned.Vertical, "an axis has no direction")
	assert.Equal(t, plan(t, spec, 375, 500).Vertical, turned.Vertical)
	axes, _ := tables.Kept()
	assert.Equal(t, 2, axes)
}

// Every property that changes an axis is part of its cache key.
func TestTablesTellAxesApart(t *testing.T) {
	var tables resize.Tables
	for range 2 {
		for _, spec := range []resize.Spec{
			{},
			{Width: 224, Height: 224},
			{Width: 224, Height: 224, Filter: resize.Bicubic},
			{Width: 224, Height: 225},
			{Width: 224, Height: 224, Mode: resize.Cover},
			{Width: 224, Height: 224, CropWidth: 200, CropHeight: 200},
			{Width: 224, Height: 224, CropWidth: 202, CropHeight: 200},
			{CropWidth: 202, CropHeight: 200},
		} {
			for _, size := range [][2]int{{500, 375}, {500, 376}, {224, 224}} {
				want, got := plan(t, spec, size[0], size[1]), planWith(t, &tables, spec, size[0], size[1])
				assert.Equal(t, want, got, "%+v %v", spec, size)
			}
		}
	}
}

func TestTablesKeepTheLimit(t *testing.T) {
	tables := resize.Tables{MaxBytes: 20_000}
	spec := resize.Spec{Width: 224, Height: 8}
	used := planWith(t, &tables, spec, 100, 8)
	for in := 300; in < 400; in++ {
		planWith(t, &tables, spec, in, 8)
		_, bytes := tables.Kept()
		require.LessOrEqual(t, bytes, tables.MaxBytes)
		assert.Same(t, used.Horizontal, planWith(t, &tables, spec, 100, 8).Horizontal, "in use, so kept")
	}
	axes, _ := tables.Kept()
	assert.GreaterOrEqual(t, axes, 2)

	large := resize.Spec{Width: 4000, Height: 8}
	once, again := planWith(t, &tables, large, 9000, 8), planWith(t, &tables, large, 9000, 8)
	assert.NotSame(t, once.Horizontal, again.Horizontal, "larger than all there is")
	assert.Same(t, used.Horizontal, planWith(t, &tables, spec, 100, 8).Horizontal, "and drives nothing out")
}

func TestTablesConcurrently(t *testing.T) {
	tables := resize.Tables{MaxBytes: 30_000}
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(1, uint64(worker)))
			for range 300 {
				spec, in := resize.Spec{Width: 1 + rng.IntN(40), Height: 30}, 1+rng.IntN(60)
				got, err := spec.Plan(in, 20, &tables)
				if assert.NoError(t, err) {
					want, _ := spec.Plan(in, 20, nil)
					assert.Equal(t, want.Horizontal, got.Horizontal)
				}
			}
		})
	}
	wg.Wait()
	_, bytes := tables.Kept()
	assert.LessOrEqual(t, bytes, tables.MaxBytes)
}

func TestTablesHitAllocatesNothing(t *testing.T) {
	var tables resize.Tables
	spec := resize.Spec{Width: 224, Height: 224, Mode: resize.Cover}
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		if _, err := spec.Plan(500, 375, &tables); err != nil {
			t.Error(err)
		}
	}))
}
