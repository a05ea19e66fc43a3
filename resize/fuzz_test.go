package resize_test

import (
	"errors"
	"testing"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/fuzzed"
	"github.com/spoolmedia/spool/resize"
	"github.com/stretchr/testify/require"
)

// FuzzPlan: any arguments are refused with a class, or give taps inside the image that add up to one.
func FuzzPlan(f *testing.F) {
	f.Add(500, 375, 224, 224, uint8(0), 0, 0, 0, uint8(0), 0, 0, 0, 0, 0, 0)
	f.Add(375, 500, 224, 224, uint8(2), 0, 0, 0, uint8(2), 10, 20, 300, 300, 0, 0)
	f.Add(60000, 3, 0, 0, uint8(0), 256, 224, 224, uint8(1), 0, 0, 60000, 3, 0, 0)
	f.Add(60000, 60000, 1, 1, uint8(1), 0, 0, 0, uint8(3), -1, -1, 9, 9, 4, -9)
	f.Add(1, 1, 700, 1, uint8(2), 0, 0, 0, uint8(4), 0, 0, 0, 0, 0, 0)
	f.Add(1<<40, 1, -1, 0, uint8(9), 1<<50, -3, 0, uint8(200), 1<<62, -1<<63, 1<<62, 1, 0, 0)
	f.Fuzz(func(t *testing.T, inWidth, inHeight, width, height int, mode uint8, shorter, cropWidth, cropHeight int,
		filter uint8,
		boxLeft, boxTop, boxWidth, boxHeight int, cropRight, cropDown int) {
		spec := resize.Spec{
			Width: width, Height: height, Mode: resize.Mode(mode), Shorter: shorter,
			CropWidth: cropWidth, CropHeight: cropHeight, Filter: resize.Filter(filter),
			Box:       resize.Rect{Left: boxLeft, Top: boxTop, Width: boxWidth, Height: boxHeight},
			CropRight: cropRight, CropDown: cropDown,
		}
		p, err := spec.Plan(inWidth, inHeight, nil)
		switch {
		case spec.Validate() != nil:
			require.ErrorIs(t, err, spool.ErrOptions)
		case inWidth <= 0 || inHeight <= 0:
			require.ErrorIs(t, err, spool.ErrShape)
		case errors.Is(err, spool.ErrShape):
			require.True(t, spec.Box != resize.Rect{} || cropRight != 0 || cropDown != 0)
		case err != nil:
			require.ErrorIs(t, err, spool.ErrTooLarge)
			require.Greater(t, max(inWidth, inHeight, longest(shorter, inWidth, inHeight),
				longest(shorter, boxWidth, boxHeight)), resize.MaxEdge)
		default:
			fuzzed.Accept()
			checkPlan(t, p, inWidth, inHeight)
			require.LessOrEqual(t, max(cap(p.Horizontal.Weights), cap(p.Vertical.Weights)), 16*resize.MaxEdge)
		}
	})
}

// longest returns the longer side of an image whose shorter side becomes n.
func longest(n, width, height int) int {
	return n * max(width, height) / max(min(width, height), 1)
}
