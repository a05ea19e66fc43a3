package baseline_test

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/jpeg/baseline"
	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/internal/seed"
	"github.com/spoolmedia/spool/internal/short"
)

// means returns a plane of the means of side x side samples, for the blocks that overlap the image. A mean is -1 if
// some of its samples may have been clamped.
func means(p baseline.Plane, samples []byte, block int) (width, height int, out []float64) {
	width, height = (p.Width+block-1)/block, (p.Height+block-1)/block
	for y := range height {
		for x := range width {
			sum, clamped := 0, false
			for i := range block * block {
				v := samples[(y*block+i/block)*p.Stride+x*block+i%block]
				sum += int(v)
				clamped = clamped || v == 0 || v == 255
			}
			mean := float64(sum) / float64(block*block)
			if clamped {
				mean = -1
			}
			out = append(out, mean)
		}
	}
	return width, height, out
}

// scaled returns the luma of an area of an image at a scale.
func scaled(t *testing.T, c *call.Call, e *baseline.Engine, data []byte, l *baseline.Layout, side int, a area) []byte {
	t.Helper()
	w, h := baseline.At(l.Width, side), baseline.At(l.Height, side)
	plane := &kernel.PlaneArea{Left: a.left, Top: a.top, H: kernel.Axis{In: a.width(), Out: a.width()},
		V: kernel.Axis{In: a.height(), Out: a.height()}}
	plan := &kernel.PlanesPlan{Rule: kernel.RuleJPEG, Width: w, Height: h, SubX: 1, SubY: 1, Luma: plane}
	dst := make([]byte, a.width()*a.height())
	next := windowPlan(a.width(), a.height(), 1, area{0, 0, a.width(), a.height()})
	sink, err := kernel.NewSink(next, dst, make([]byte, next.ScratchBytes()))
	require.NoError(t, err)
	defer sink.Close()
	planes, err := kernel.NewPlanes(plan, sink.Pointer(), make([]byte, plan.ScratchBytes()))
	require.NoError(t, err)
	defer planes.Close()
	reason, err := e.DecodePlanes(c, data,
		baseline.PlaneOptions{Planes: planes.Pointer(), Width: l.Width, Height: l.Height,
			Scales: baseline.Scales{Luma: side, Gray: true}})
	require.NoError(t, err)
	if reason == baseline.Color { // RGB
		return nil
	}
	require.Equal(t, baseline.Decoded, reason)
	require.Equal(t, a.height(), sink.Rows())
	return dst
}

// Samples at smaller scales are means of those of the plane, and all kernels give the same.
func TestScales(t *testing.T) {
	r := seed.Rand(t)
	c := enter(t)
	all, compared, nth := engines(t), 0, short.Of(7, 28)
	for i, file := range files(t) {
		data := read(t, file)
		l, reason := baseline.ReadLayout(data)
		if reason != baseline.Decoded || l.Width*l.Height > 1e6 || i%nth != 0 {
			continue
		}
		planes := make([]byte, l.Bytes())
		if reason, err := all[0].Planes(c, data, planes); err != nil || reason != baseline.Decoded {
			continue
		}
		for _, side := range []int{8, 4, 2, 1} {
			width, height, want := means(l.Planes[0], planes, 8/side)
			whole := scaled(t, c, all[0], data, &l, side, area{0, 0, width, height})
			if whole == nil {
				break
			}
			for k, v := range want {
				if v >= 0 && math.Abs(v-float64(whole[k])) > 1.3 {
					t.Fatalf("%s: %dx%d at %d, column %d, row %d: %v, not %v", file, l.Width, l.Height, side, k%width, k/width,
						whole[k], v)
				}
			}
			for level, e := range all {
				what := fmt.Sprintf("level %d, %s at %d", level, file, side)
				require.True(t, bytes.Equal(whole, scaled(t, c, e, data, &l, side, area{0, 0, width, height})), what)
				a := someArea(r, width, height)
				require.Empty(t, differs(1, a, scaled(t, c, e, data, &l, side, a), whole, width), what)
				compared++
			}
		}
	}
	assert.Greater(t, compared, short.Of(30, 10)*len(all))
}

func TestPlanesMisuse(t *testing.T) {
	var e baseline.Engine
	defer e.Close()
	c, data := enter(t), read(t, "../testdata/s420.jpg")
	plane := &kernel.PlaneArea{H: kernel.Axis{In: 21, Out: 21}, V: kernel.Axis{In: 47, Out: 47}}
	plan := &kernel.PlanesPlan{Rule: kernel.RuleJPEG, Width: 21, Height: 47, SubX: 1, SubY: 1, Luma: plane, Chroma: plane}
	next := windowPlan(21, 47, 3, area{0, 0, 21, 47})
	sink, err := kernel.NewSink(next, make([]byte, 3*21*47), make([]byte, next.ScratchBytes()))
	require.NoError(t, err)
	defer sink.Close()
	planes, err := kernel.NewPlanes(plan, sink.Pointer(), make([]byte, plan.ScratchBytes()))
	require.NoError(t, err)
	defer planes.Close()
	half := baseline.Scales{Luma: 4, Chroma: 8, SubX: 1, SubY: 1}
	decode := func(o baseline.PlaneOptions) error {
		_, err := e.DecodePlanes(c, data, o)
		return err
	}
	for name, s := range map[string]baseline.Scales{
		"chroma of another size": {Luma: 4, Chroma: 4, SubX: 1, SubY: 1},
		"another sampling":       {Luma: 4, Chroma: 8, SubX: 2, SubY: 2},
		"luma smaller":           {Luma: 2, Chroma: 4, SubX: 1, SubY: 1},
	} {
		assert.ErrorIs(t, decode(baseline.PlaneOptions{Planes: planes.Pointer(), Width: 41, Height: 93, Scales: s}),
			spool.ErrShape, name)
	}
	assert.ErrorIs(t, decode(baseline.PlaneOptions{Planes: planes.Pointer(), Width: 42, Height: 93, Scales: half}),
		spool.ErrShape)
	assert.ErrorIs(t, decode(baseline.PlaneOptions{Width: 41, Height: 93, Scales: half}), spool.ErrOptions)
	assert.ErrorIs(t, decode(baseline.PlaneOptions{Planes: planes.Pointer(), Width: 41, Height: 93,
		Scales: baseline.Scales{Luma: 3, Chroma: 8, SubX: 1, SubY: 1}}), spool.ErrOptions)
	assert.NoError(t, decode(baseline.PlaneOptions{Planes: planes.Pointer(), Width: 41, Height: 93, Scales: half}))
	assert.Equal(t, 47, sink.Rows())
}
