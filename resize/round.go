package resize

import "math"

// rounding says how many bits the weights of an axis have.
type rounding uint8

const (
	torchRounding  rounding = iota // 16: as many of them for the fraction as the largest weight leaves
	pillowRounding                 // a fraction of 22
	deepRounding                   // 32, in the same way as 16; for samples of 16 bits
	shortRounding                  // 16 for such samples, where speed matters: as torchRounding, so that sums fit in 32
)

// rounding is whose arithmetic the spec asks for. Filters that pick have none: their weights are all one.
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

// pillowPrecision is 32 bits less 8 for the pixel and 2 for the sign and for weights that add up to more
// than 1: PRECISION_BITS of libImaging/Resample.c. PyTorch has it as its limit.
const pillowPrecision = 32 - 8 - 2

// deepPrecision is the limit of weights that have 32 bits.
const deepPrecision = 32 - 2

// shortPrecision leaves sums of samples of 16 bits, less half of them, the room of weights that add up to almost 2.
const shortPrecision = 15

// precision is the number of bits for the fraction, where no weight is above largest.
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

// mostBits is the largest precision, up to a limit, at which weights still fit in so many bits and a sign.
func mostBits(largest float64, bits, limit int) int {
	p := 0
	for p < limit && int(0.5+largest*float64(int(2)<<p)) < 1<<(bits-1) {
		p++
	}
	return p
}

// table turns the weights into integers and packs what is left of the windows without the zeros at
// their ends.
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
	// Zeros also lie between others, where a filter crosses the axis: windows must still move one way.
	for i := n - 2; i >= 0; i-- {
		start[i] = min(start[i], start[i+1])
	}
	for i := 1; i < n; i++ {
		end[i] = max(end[i], end[i-1])
	}

	first, in := start[0], int(end[n-1]-start[0])
	count, longest := end, int32(0) // from here on lengths
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

// round rounds half away from zero, as PyTorch and Pillow do.
func round(dst []int32, weights []float64, one float64) {
	for i, x := range weights {
		dst[i] = int32(math.Trunc(x*one + math.Copysign(0.5, x)))
	}
}

// zeros counts the zeros at both ends of a row, of which one weight always remains.
func zeros(row []int32) (lead, trail int) {
	for lead < len(row)-1 && row[lead] == 0 {
		lead++
	}
	for trail < len(row)-1-lead && row[len(row)-1-trail] == 0 {
		trail++
	}
	return lead, trail
}
