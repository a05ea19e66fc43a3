package resize_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/resize"
)

// The places are those of torchvision 0.29: five_crop and ten_crop of arange(7) columns and arange(6) rows with a crop
// of 4x3, by their first column and row, and whether columns descend.
func TestCropsAreThoseOfTorchvision(t *testing.T) {
	type place struct {
		left, top int
		mirrored  bool
	}
	want := []place{{0, 0, false}, {3, 0, false}, {0, 3, false}, {3, 3, false}, {2, 2, false},
		{3, 0, true}, {0, 0, true}, {3, 3, true}, {0, 3, true}, {1, 2, true}}
	s := resize.Spec{CropWidth: 4, CropHeight: 3}
	require.Equal(t, len(want), resize.TenCrops.Len())
	for i, expected := range want {
		got, err := resize.TenCrops.Spec(s, i, 7, 6)
		require.NoError(t, err)
		plan, err := got.Plan(7, 6, nil)
		require.NoError(t, err)
		at := place{int(plan.Region.Left), int(plan.Region.Top), plan.FlipX}
		assert.Equal(t, expected, at, "crop %d", i)
	}
	one, err := resize.OneCrop.Spec(s, 0, 2, 2)
	require.NoError(t, err)
	assert.Equal(t, s, one)
	_, err = resize.FiveCrops.Spec(s, 0, 3, 6)
	assert.Equal(t, spool.ErrUnsupported, spool.ClassOf(err))
}

func TestCropsAsText(t *testing.T) {
	for _, c := range []resize.Crops{resize.OneCrop, resize.FiveCrops, resize.TenCrops} {
		text, err := c.MarshalText()
		require.NoError(t, err)
		var read resize.Crops
		require.NoError(t, read.UnmarshalText(text))
		assert.Equal(t, c, read)
	}
	assert.Error(t, new(resize.Crops).UnmarshalText([]byte("two")))
	assert.Equal(t, "Crops(9)", resize.Crops(9).String())
}
