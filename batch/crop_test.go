package batch_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/batch"
)

func TestViewMapsPoints(t *testing.T) {
	v := batch.Crop{Left: 100, Top: -10, Width: 200, Height: 50}
	for _, c := range []struct {
		flipX, flipY bool
		x, y         float64
		want         [2]float64
	}{
		{false, false, 100, -10, [2]float64{0, 0}},
		{false, false, 300, 40, [2]float64{20, 10}},
		{true, false, 100, -10, [2]float64{20, 0}},
		{false, true, 150, 0, [2]float64{5, 8}},
		{true, true, 90, 0, [2]float64{21, 8}}, // outside the slot
	} {
		v.FlipX, v.FlipY = c.flipX, c.flipY
		x, y := v.Map(c.x, c.y, 20, 10)
		require.Equal(t, c.want, [2]float64{x, y})
	}
}
