package resize_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/resize"
)

// The curves of the filters as functions of the distance, in double precision.
var filterCurves = map[resize.Filter]struct {
	support float64
	at      func(x float64) float64
}{
	resize.Bilinear: {1, func(x float64) float64 { return 1 - x }},
	resize.Bicubic: {2, func(x float64) float64 {
		if x < 1 {
			return 1.5*x*x*x - 2.5*x*x + 1
		}
		return -0.5*x*x*x + 2.5*x*x - 4*x + 2
	}},
	resize.Lanczos: {3, func(x float64) float64 {
		if x == 0 {
			return 1
		}
		return 3 * math.Sin(math.Pi*x) * math.Sin(math.Pi*x/3) / (math.Pi * math.Pi * x * x)
	}},
}

// resample is one pass over a line in double precision, clamped.
func resample(line []float64, out int, f resize.Filter) []float64 {
	curve, scale := filterCurves[f], float64(len(line))/float64(out)
	widen := max(scale, 1)
	result := make([]float64, out)
	for i := range result {
		centre, sum, total := (float64(i)+0.5)*scale, 0.0, 0.0
		for j, v := range line {
			if x := math.Abs(float64(j)+0.5-centre) / widen; x < curve.support {
				sum += curve.at(x) * v
				total += curve.at(x)
			}
		}
		result[i] = min(max(sum/total, 0), 65535)
	}
	return result
}

// deepPass is one pass over a line by the documentation of Axis.
func deepPass(line []int, a *resize.Axis, first int) []int {
	if a.Start == nil {
		return line
	}
	result := make([]int, a.Out)
	for i := range result {
		sum := 1 << (a.Precision - 1)
		for j, w := range axisWeights(a, i)[:a.Count[i]] {
			sum += w * line[first+int(a.Start[i])+j]
		}
		result[i] = min(max(sum>>a.Precision, 0), 65535)
	}
	return result
}

// The resize of 16-bit samples is within 1 of double precision, also for long windows.
func TestDeepIsExactWithinOne(t *testing.T) {
	const seed = 16
	r := rand.New(rand.NewPCG(seed, 0))
	for filter := range filterCurves {
		for _, size := range [][4]int{{97, 61, 31, 40}, {40, 31, 97, 61}, {3000, 7, 3, 20}, {5, 4000, 9, 2},
			{64, 64, 32, 16}} {
			w, h, outW, outH := size[0], size[1], size[2], size[3]
			p := plan(t, resize.Spec{Width: outW, Height: outH, Filter: filter, Bits: 16}, w, h)
			exact, deep := make([][]float64, h), make([][]int, h)
			for y := range h {
				line, floats := make([]int, w), make([]float64, w)
				for x := range line {
					line[x] = r.IntN(65536)
					if r.IntN(4) == 0 {
						line[x] = 65535 * r.IntN(2)
					}
					floats[x] = float64(line[x])
				}
				exact[y], deep[y] = resample(floats, outW, filter), deepPass(line, p.Horizontal, p.Left)
			}
			for x := range outW {
				floats, line := make([]float64, h), make([]int, h)
				for y := range h {
					floats[y], line[y] = exact[y][x], deep[y][x]
				}
				want, got := resample(floats, outH, filter), deepPass(line, p.Vertical, p.Top)
				for y := range outH {
					require.InDelta(t, math.Round(want[y]), got[y], 1, "%v of %v at %d,%d; seed %d", filter, size, x, y, seed)
				}
			}
		}
	}
}
