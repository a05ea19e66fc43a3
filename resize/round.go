package resize

import "math"

// rounding selects the number of bits of an axis's weights.
type rounding uint8

const (
	torchRounding  rounding = iota // 16 bits: the fraction has as many as the largest weight leaves
	pillowRounding                 // a fraction of 22 bits
	deepRounding                   // 32 bits, by the rule of torchRounding; for 16-bit samples
	shortRounding                  // 16 bits for 16-bit samples, for speed: like torchRounding, with sums of 32 bits
)

// rounding returns the spec's rounding. It does not matter for the nearest filters: their weights are all one.
func (s Spec) rounding() rounding {
	switch {
	case s.Filter.Picks():
		return torchRounding
	case s.Bits == 16:
		return deepRounding
	case s.Profile == Pillow || s.Filter == Lanczos || s.Filter == Box:
		return pillowRounding
	}
	return torchRounding
}

// pillowPrecision is 32 bits less 8 for the pixel and 2 for the sign and for weights that add up to more than 1:
// PRECISION_BITS of libImaging/Resample.c. PyTorch uses it as its limit.
const pillowPrecision = 32 - 8 - 2

// deepPrecision is the limit for weights of 32 bits.
const deepPrecision = 32 - 2

// shortPrecision keeps sums of 16-bit samples, less 2^15, within 32 bits for weights that add up to almost 2.
const shortPrecision = 15

// precision returns the number of bits for the fraction, if no weight is above largest.
func (r rounding) precision(largest float64) int {
	switch r {
	case pillowRounding:
		return pillowPrecision
	case deepRounding:
		return mostBits(largest, 32, deepPrecision)
	case shortRounding:
		return mostBits(largest, 16, shortPrecision)
	default:
		return mostBits(largest, 16, pillowPrecision)
	}
}

// mostBits returns the largest precision, up to a limit, at which weights fit in the given bits, including a sign.
func mostBits(largest float64, bits, limit int) int {
	p := 0
	for p < limit && int(0.5+largest*float64(int(2)<<p)) < 1<<(bits-1) {
		p++
	}
	return p
}

// table converts the weights to integers, drops zeros at the ends of windows, and packs the rest.
func (w *windows) table() *table {
	precision := w.rounding.precision(w.largest)
	n := w.last - w.first
	rounded, rows := make([]int32, len(w.weights)), make([][]int32, n)
	start, end := make([]int32, n), make([]int32, n)
	begin := 0
	for i, next := range w.end {
		row := rounded[begin:next]
		round(row, w.weights[begin:next], float64(int(1)<<precision))
		lead, trail := zeros(row)
		rows[i] = row[lead : len(row)-trail]
		w.start[i] += lead
		start[i], end[i] = int32(w.start[i]), int32(w.start[i]+len(rows[i]))
		begin = next
	}
	// A filter's zero crossings are also zero weights, so that windows may shrink out of order: restore the order.
	for i := n - 2; i >= 0; i-- {
		start[i] = min(start[i], start[i+1])
	}
	for i := 1; i < n; i++ {
		end[i] = max(end[i], end[i-1])
	}

	first, in := start[0], int(end[n-1]-start[0])
	count, longest := end, int32(0) // end holds lengths from here on
	for i := range count {
		count[i] -= start[i]
		longest = max(longest, count[i])
	}
	axis := Axis{In: in, Out: n, Start: start, Count: count, Stride: int(longest+1) &^ 1, Precision: precision}
	if w.rounding == torchRounding || w.rounding == shortRounding {
		axis.Weights = make([]int16, n*axis.Stride)
	} else {
		axis.Wide = make([]int32, n*axis.Stride)
	}
	for i, row := range rows {
		at := i*axis.Stride + w.start[i] - int(start[i])
		if axis.Wide != nil {
			copy(axis.Wide[at:], row)
		} else {
			for k, x := range row {
				axis.Weights[at+k] = int16(x)
			}
		}
		start[i] -= first
	}
	return &table{axis: axis, first: int(first)}
}

// round rounds half away from zero, as in PyTorch and Pillow.
func round(dst []int32, weights []float64, one float64) {
	for i, x := range weights {
		dst[i] = int32(math.Trunc(x*one + math.Copysign(0.5, x)))
	}
}

// zeros counts the zeros at both ends of a row. At least one weight always remains.
func zeros(row []int32) (lead, trail int) {
	for lead < len(row)-1 && row[lead] == 0 {
		lead++
	}
	for trail < len(row)-1-lead && row[len(row)-1-trail] == 0 {
		trail++
	}
	return lead, trail
}
