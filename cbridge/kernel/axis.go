package kernel

import (
	"math"
	"slices"
)

// maxSize bounds every extent, so that no size computed from a valid plan overflows.
const maxSize = 1 << 28

// Axis describes the resize of one axis. Output i is the sum of weight i*Stride+k times input[Start[i]+k] over 0 <= k <
// Count[i], plus half of 2^Precision, shifted right by Precision and clamped to the range of a sample. An axis without
// taps (Start is nil) is the identity, with In == Out. The windows of later outputs neither begin nor end earlier.
//
// For 8-bit samples, the sum of an output's absolute weights, times 255, plus half of 2^Precision MUST be below 2^31,
// so that the sum does not overflow. Weights that add up to about 2^Precision, with a Precision of at most 22, are well
// below this bound.
type Axis struct {
	In, Out      int
	Start, Count []int32
	Weights      []int16 // set either Weights or Wide
	Wide         []int32
	Stride       int
	Precision    int // 1 to 22 for 8-bit samples, to 30 for 16-bit samples
}

// problem describes what is wrong with the taps for samples of 8 bits, or of 16 bits if deep. It is "" for valid taps.
func (a *Axis) problem(deep bool) string {
	if a.Start == nil {
		if a.In != a.Out {
			return "an axis without taps that changes the size"
		}
		return ""
	}
	if len(a.Start) != a.Out || len(a.Count) != a.Out {
		return "an axis with Start or Count for another number of outputs"
	}
	if a.Wide != nil && a.Weights != nil {
		return "an axis with both Weights and Wide"
	}
	if a.Stride < 1 || a.Stride > maxSize || max(len(a.Weights), len(a.Wide)) < a.Out*a.Stride {
		return "an axis with Weights too short for Out and Stride"
	}
	limit := 22
	if deep {
		limit = 30
	}
	if a.Precision < 1 || a.Precision > limit {
		return "an axis whose Precision is out of range"
	}
	for i, start := range a.Start {
		count := int(a.Count[i])
		if start < 0 || count < 1 || count > a.Stride || int(start)+count > a.In {
			return "an axis with a window beyond its input or longer than Stride"
		}
		if a.overflows(i*a.Stride, count, deep) {
			return "an axis with weights whose sum could overflow"
		}
	}
	for i := 1; i < a.Out; i++ {
		if a.Start[i] < a.Start[i-1] || a.Start[i]+a.Count[i] < a.Start[i-1]+a.Count[i-1] {
			return "an axis whose windows are out of order"
		}
	}
	return ""
}

// safeTaps is the longest window of 16-bit weights that cannot overflow with any weights and precision.
const safeTaps = (math.MaxInt32 - 1<<21) / (1 << 15 * 255)

// overflows reports whether the sum of the window whose weights begin at `from` could overflow.
func (a *Axis) overflows(from, count int, deep bool) bool {
	if a.Wide == nil && (deep || count <= safeTaps) {
		return false
	}
	sum := int64(0)
	if a.Wide == nil {
		for _, w := range a.Weights[from:][:count] {
			sum += max(int64(w), -int64(w))
		}
	} else {
		for _, w := range a.Wide[from:][:count] {
			sum += max(int64(w), -int64(w))
		}
	}
	if deep {
		return sum > math.MaxInt64>>17 // minus half a unit of the result
	}
	return sum*255+1<<(a.Precision-1) > math.MaxInt32
}

// taps returns the length of the longest window, 0 for the identity.
func (a *Axis) taps() int {
	if a.Start == nil {
		return 0
	}
	return int(slices.Max(a.Count))
}

// overlap returns the largest number of windows that a group of rows can contribute to. All windows are counted with
// the length of the longest. The input may be mirrored.
func (a *Axis) overlap(taps, group int, mirrored bool) int {
	most, next := 0, 0
	for i := range a.Start {
		for next < a.Out && a.begin(next, taps, mirrored) < a.begin(i, taps, mirrored)+taps+group-1 {
			next++
		}
		most = max(most, next-i)
	}
	return most
}

// reach returns the largest number of pixels that the windows of four adjacent outputs span, with windows counted as in
// overlap.
func (a *Axis) reach(taps int, mirrored bool) int {
	most := 0
	for i := range a.Start {
		last := min(i+3, a.Out-1)
		most = max(most, a.begin(last, taps, mirrored)+taps-a.begin(i, taps, mirrored))
	}
	return most
}

// begin returns the start of window i when all windows have the length of the longest.
func (a *Axis) begin(i, taps int, mirrored bool) int {
	if !mirrored {
		return min(int(a.Start[i]), a.In-taps)
	}
	last := a.Out - 1 - i
	return min(a.In-int(a.Start[last]+a.Count[last]), a.In-taps)
}
