package resize

// Axis holds the taps of one pass. Output i is the sum, over j below Count[i], of the source sample at Start[i]+j times
// weight i*Stride+j, plus 2^(Precision-1), shifted right by Precision and clamped to the range of a sample. The sum
// fits in 32 bits, or in 64 for 16-bit samples. Neither Start nor Start+Count ever decreases, so that one pass over the
// source serves all outputs.
type Axis struct {
	In, Out   int     // numbers of pixels
	Start     []int32 // first source pixel of each output; nil: the axis is an identity, In == Out
	Count     []int32 // number of taps of each output, at least 1
	Weights   []int16 // Stride for each output, zero beyond its taps
	Wide      []int32 // used instead of Weights if they have more than 16 bits
	Stride    int     // even, so that weights can be loaded in pairs
	Precision int     // bits of the weights' fraction, 1 to 22, or to 30 for 16-bit samples
}

// newTable computes the axis of a span.
func newTable(s span) *table {
	switch {
	case s.grid != grid{}:
		return s.grid.fold(pixels(s)).table()
	case s.identity():
		n := s.last - s.first
		return &table{axis: Axis{In: n, Out: n}, first: int(s.lo) + s.first}
	case s.filter.Picks():
		return pick(s).table()
	default:
		return convolve(s, curves[s.filter]).table()
	}
}
