package kernel_test

import (
	"math"

	"github.com/spoolmedia/spool/cbridge/kernel"
)

// filter is a resampling filter with its support.
type filter struct {
	support float64
	at      func(x float64) float64
}

var (
	bilinear = filter{1, func(x float64) float64 { return max(1-math.Abs(x), 0) }}
	bicubic  = filter{2, func(x float64) float64 { // Keys, a = -0.5
		const a = -0.5
		switch x = math.Abs(x); {
		case x < 1:
			return ((a+2)*x-(a+3))*x*x + 1
		case x < 2:
			return ((a*x-5*a)*x+8*a)*x - 4*a
		}
		return 0
	}}
)

// makeAxis builds the taps of an axis as in torchvision's antialiased resize of uint8.
func makeAxis(in, out int, f filter) kernel.Axis { return makeWideAxis(in, out, f, 0) }

// makeShortAxis has at most 15 bits of fraction, so that sums of 16-bit samples fit in 32 bits.
func makeShortAxis(in, out int, f filter) kernel.Axis {
	a := makeAxis(in, out, f)
	for ; a.Precision > 15; a.Precision-- {
		for i := range a.Weights {
			a.Weights[i] /= 2
		}
	}
	return a
}

// makeWideAxis has wide weights with the given precision, which is 22 in Pillow.
func makeWideAxis(in, out int, f filter, precision int) kernel.Axis {
	scale := float64(in) / float64(out)
	stretch := max(scale, 1)
	support := f.support * stretch
	a := kernel.Axis{In: in, Out: out}
	var windows [][]float64
	peak := 0.0
	for i := range out {
		center := (float64(i) + 0.5) * scale
		start := max(int(center-support+0.5), 0)
		end := min(int(center+support+0.5), in)
		weights := make([]float64, end-start)
		sum := 0.0
		for k := range weights {
			weights[k] = f.at((float64(start+k) - center + 0.5) / stretch)
			sum += weights[k]
		}
		for k := range weights {
			weights[k] /= sum
			peak = max(peak, weights[k])
		}
		a.Start, a.Count = append(a.Start, int32(start)), append(a.Count, int32(len(weights)))
		a.Stride = max(a.Stride, len(weights))
		windows = append(windows, weights)
	}
	if a.Precision = precision; precision != 0 {
		a.Wide = make([]int32, out*a.Stride)
	} else {
		for a.Precision < 22 && int(0.5+peak*float64(int(1)<<(a.Precision+1))) < 1<<15 {
			a.Precision++
		}
		a.Weights = make([]int16, out*a.Stride)
	}
	for i, weights := range windows {
		for k, w := range weights {
			w = math.Round(w * float64(int(1)<<a.Precision))
			if precision != 0 {
				a.Wide[i*a.Stride+k] = int32(w)
			} else {
				a.Weights[i*a.Stride+k] = int16(w)
			}
		}
	}
	return a
}
