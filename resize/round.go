package resize

import "math"

// precisionLimit is 32 bits less 8 for the pixel and 2 for the sign and for weights that add up to more than 1.
const precisionLimit = 32 - 8 - 2

// precision is the number of fraction bits: as many as leave the largest weight below 2^15.
func (w *windows) precision() int {
	p := 0
	for p < precisionLimit && int(0.5+w.largest*float64(int(2)<<p)) < 1<<15 {
		p++
	}
	return p
}

// table turns the weights into integers and packs what is left of the windows without the zeros at
// their ends.
func (w *windows) table() *table {
	precision, round := w.precision(), roundEach
	if w.filter == Lanczos || w.filter == Box {
		round = roundSum
	}
	n := w.last - w.first
	rounded, rows := make([]int16, len(w.weights)), make([][]int16, n)
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
	stride := int(longest+1) &^ 1
	weights := make([]int16, n*stride)
	for i, row := range rows {
		copy(weights[i*stride+w.start[i]-int(start[i]):], row)
		start[i] -= first
	}
	return &table{
		axis:  Axis{In: in, Out: n, Start: start, Count: count, Weights: weights, Stride: stride, Precision: precision},
		first: int(first),
	}
}

// roundEach rounds every weight by itself, half away from zero, as PyTorch does.
func roundEach(dst []int16, weights []float64, one float64) {
	for i, x := range weights {
		dst[i] = int16(math.Trunc(x*one + math.Copysign(0.5, x)))
	}
}

// roundSum rounds the running sum, so that the integers add up to exactly one and no error builds up
// along the window.
func roundSum(dst []int16, weights []float64, one float64) {
	sum, before := 0.0, 0
	for i, x := range weights {
		sum += x
		after := int(math.Floor(sum*one + 0.5))
		dst[i] = int16(min(after-before, math.MaxInt16)) // up to one more than its weight
		before = after
	}
}

// zeros counts the zeros at both ends of a row, of which one weight always remains.
func zeros(row []int16) (lead, trail int) {
	for lead < len(row)-1 && row[lead] == 0 {
		lead++
	}
	for trail < len(row)-1-lead && row[len(row)-1-trail] == 0 {
		trail++
	}
	return lead, trail
}
