package resize_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/short"
	"github.com/spoolmedia/spool/resize"
)

// interpolated returns a line of n pixels of a sampled plane, as a decoder would deliver them.
func interpolated(line []float64, n, sub, block int, up resize.Upsampling) []float64 {
	sample := func(i int) float64 {
		k, last := i/block, len(line)-1
		off := (float64(i%block)+0.5)/float64(block) - 0.5
		return line[k] + off*(line[min(k+1, last)]-line[max(k-1, 0)])/2
	}
	pixels := make([]float64, n)
	for i := range pixels {
		pixels[i] = sample(i / sub)
		switch {
		case sub == 2 && up == resize.Cubic:
			pixels[i] = 0
			for k := i/2 - 3; k <= i/2+3; k++ {
				pixels[i] += cubic((float64(i)+0.5)/2-0.5-float64(k)) * sample(min(max(k, 0), (n+1)/2-1))
			}
		case sub == 2 && up == resize.Interpolated:
			beside := min(max(i/2-1+i%2*2, 0), (n+1)/2-1)
			pixels[i] = (3*pixels[i] + sample(beside)) / 4
		}
	}
	return pixels
}

// cubic is the curve of swscale's bicubic filter: Mitchell and Netravali's with B = 0 and C = 0.6.
func cubic(x float64) float64 {
	switch x = math.Abs(x); {
	case x < 1:
		return 1.4*x*x*x - 2.4*x*x + 1
	case x < 2:
		return -0.6*x*x*x + 3*x*x - 4.8*x + 2.4
	}
	return 0
}

// plain is rows of floats.
type plain [][]float64

func (p plain) transposed() plain {
	out := make(plain, len(p[0]))
	for x := range out {
		for y := range p {
			out[x] = append(out[x], p[y][x])
		}
	}
	return out
}

func (p plain) mirrored() plain {
	out := make(plain, len(p))
	for y := range p {
		for x := range p[y] {
			out[y] = append(out[y], p[y][len(p[y])-1-x])
		}
	}
	return out
}

// upright converts a stored image to the upright one, by EXIF's definitions.
func (p plain) upright(orientation int) plain {
	switch orientation {
	case 2:
		return p.mirrored()
	case 3:
		return p.mirrored().transposed().mirrored().transposed()
	case 4:
		return p.transposed().mirrored().transposed()
	case 5:
		return p.transposed()
	case 6:
		return p.transposed().mirrored()
	case 7:
		return p.mirrored().transposed().mirrored()
	case 8:
		return p.mirrored().transposed()
	}
	return p
}

// along applies an axis to rows, from column `first` on.
func (p plain) along(a *resize.Axis, first int) plain {
	out := make(plain, len(p))
	for y := range p {
		out[y] = make([]float64, a.Out)
		for i := range a.Out {
			if a.Start == nil {
				out[y][i] = p[y][first+i]
				continue
			}
			for k := range int(a.Count[i]) {
				weight := float64(allWeights(a)[i*a.Stride+k]) / float64(int(1)<<a.Precision)
				out[y][i] += weight * p[y][first+int(a.Start[i])+k]
			}
		}
	}
	return out
}

// Passes over a plane give the result of passes over the interpolated image.
func TestPlanPlane(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 7))
	specs := []resize.Spec{
		{Width: 20, Height: 17},
		{Width: 20, Height: 17, Filter: resize.Bicubic, FlipX: true},
		{Width: 31, Height: 9, Mode: resize.Cover, Filter: resize.Lanczos},
		{Width: 31, Height: 19, Mode: resize.Fit, Profile: resize.Fast},
		{Shorter: 14, CropWidth: 12, CropHeight: 30, Filter: resize.Box},
		{CropWidth: 12, CropHeight: 30, CropRight: -2},
		{},
	}
	var tables resize.Tables
	for range short.Of(600, 120) {
		width, height, orientation := 10+r.IntN(60), 10+r.IntN(60), 1+r.IntN(8)
		s := resize.Sampling{SubX: 1 + r.IntN(2), SubY: 1 + r.IntN(2), Block: 1 << r.IntN(4)}
		if r.IntN(2) == 0 {
			s.X, s.Y = resize.Upsampling(r.IntN(3)), resize.Upsampling(r.IntN(3))
		}
		spec := specs[r.IntN(len(specs))]
		spec.Bits = 8 << r.IntN(2)
		if r.IntN(2) == 0 {
			spec.Box = resize.Rect{Left: r.IntN(5), Top: r.IntN(5), Width: 1 + r.IntN(width-5), Height: 1 + r.IntN(height-5)}
		}
		storedWidth, storedHeight := width, height
		if orientation >= 5 {
			storedWidth, storedHeight = height, width
		}
		up := func(n, by int) int { return (n + by - 1) / by }
		plane := make(plain, up(storedHeight, s.SubY*s.Block))
		for y := range plane {
			for range up(storedWidth, s.SubX*s.Block) {
				plane[y] = append(plane[y], 255*r.Float64())
			}
		}
		whole := make(plain, len(plane))
		for y := range plane {
			whole[y] = interpolated(plane[y], storedWidth, s.SubX, s.Block, s.X)
		}
		whole = whole.transposed()
		for x := range whole {
			whole[x] = interpolated(whole[x], storedHeight, s.SubY, s.Block, s.Y)
		}
		whole = whole.transposed().upright(orientation)

		plan, err := spec.Plan(width, height, &tables)
		require.NoError(t, err)
		want := whole[plan.Top:plan.Bottom].along(plan.Horizontal, plan.Left).transposed().along(plan.Vertical,
			0).transposed()
		got, err := spec.PlanPlane(width, height, orientation, s, &tables)
		require.NoError(t, err)
		require.LessOrEqual(t, got.Left+got.Horizontal.In, len(plane[0]))
		require.LessOrEqual(t, got.Top+got.Vertical.In, len(plane))
		require.NotNil(t, got.Horizontal.Weights)
		require.True(t, spec.Bits != 16 || got.Horizontal.Precision <= 15)
		ours := plane.along(got.Horizontal, got.Left).transposed().along(got.Vertical,
			got.Top).transposed().upright(orientation)
		require.Len(t, ours, plan.H)
		for y := range ours {
			require.InDeltaSlice(t, want[y], ours[y], 0.2, "%dx%d, orientation %d, %+v, %+v, row %d", width, height, orientation,
				s, spec, y)
		}
	}
}

func TestPlanPlaneRefuses(t *testing.T) {
	_, err := resize.Spec{Width: -1}.PlanPlane(10, 10, 1, resize.Sampling{SubX: 1, SubY: 1, Block: 1}, nil)
	assert.ErrorIs(t, err, spool.ErrOptions)
	_, err = resize.Spec{Box: resize.Rect{Width: 11, Height: 1}}.PlanPlane(10, 10, 1,
		resize.Sampling{SubX: 1, SubY: 1, Block: 1}, nil)
	assert.ErrorIs(t, err, spool.ErrShape)
}
