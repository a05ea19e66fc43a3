package resize

import "math"

// windows holds the taps of a span's kept outputs during computation.
type windows struct {
	span
	start   []int     // first source pixel of each output
	end     []int     // where the output's weights end
	weights []float64 // of all outputs in order; those of an output add up to 1
	largest float64   // largest weight of all outputs, including those outside a crop
}

func newWindows(s span, longest int) *windows {
	n := s.last - s.first
	return &windows{span: s, start: make([]int, 0, n), end: make([]int, 0, n), weights: make([]float64, 0, (n+1)*longest)}
}

// begin returns the index of the next output's first weight.
func (w *windows) begin() int {
	if n := len(w.end); n > 0 {
		return w.end[n-1]
	}
	return 0
}

// finish ends the window of output i, whose weights were appended, or drops it if it is outside the crop.
func (w *windows) finish(i, start int) {
	begin := w.begin()
	for _, x := range w.weights[begin:] {
		w.largest = max(w.largest, x)
	}
	if i < w.first || i >= w.last {
		w.weights = w.weights[:begin]
		return
	}
	w.start = append(w.start, start)
	w.end = append(w.end, len(w.weights))
}

// pick computes windows of one pixel for each output.
func pick(s span) *windows {
	w := newWindows(s, 1)
	at := picked[s.filter](s)
	for i := range s.out {
		w.weights = append(w.weights, 1)
		w.finish(i, min(at(i), s.in-1))
	}
	return w
}

// picked holds the functions that return the pixel for an output; they are called for outputs in order.
var picked = [...]func(s span) func(i int) int{Nearest: nearest, NearestFloor: nearestFloor, NearestExact: nearestExact}

// nearest returns the pixel under each output's center. The position is accumulated, not multiplied, as in Pillow,
// because the last bit decides between adjacent pixels.
func nearest(s span) func(i int) int {
	scale := float64(s.hi-s.lo) / float64(s.out)
	x := float64(s.lo) + scale*0.5
	return func(int) int {
		at := int(x)
		x += scale
		return at
	}
}

// nearestFloor is nearest_neighbor_compute_source_index of PyTorch 2.15, whose scale and product are in single
// precision.
func nearestFloor(s span) func(i int) int {
	scale := (s.hi - s.lo) / float32(s.out)
	return func(i int) int { return int(float64(s.lo) + math.Floor(float64(float32(i)*scale))) }
}

// nearestExact is compute_indices_weights of PyTorch 2.15's HelperInterpNearestExact, in single precision. There, the
// center times the scale, less one half, is a fused multiply-add. In double precision both operations are exact.
func nearestExact(s span) func(i int) int {
	scale := float64((s.hi - s.lo) / float32(s.out))
	return func(i int) int {
		left := max(float32(float64((float64(i)+0.5)*scale)-0.5), 0)
		return int(float64(s.lo) + math.Floor(float64(left+0.5)))
	}
}

// convolve computes the weights of the pixels within the curve's reach of each output's center.
func convolve(s span, c curve) *windows {
	scale := float64(s.hi-s.lo) / float64(s.out)
	widen := max(scale, 1)
	reach, narrow := c.support*widen, 1/widen
	w := newWindows(s, 2*int(math.Ceil(reach))+1)
	for i := range s.out {
		// The conversion prevents a fused multiply-add, which the libraries do not use.
		centre := float64(s.lo) + float64((float64(i)+0.5)*scale)
		start := max(int(centre-reach+0.5), 0)
		end := min(int(centre+reach+0.5), s.in)
		begin, total := w.begin(), 0.0
		for j := start; j < end; j++ {
			x := c.at((float64(j) - centre + 0.5) * narrow)
			w.weights = append(w.weights, x)
			total += x
		}
		if total == 0 { // rounding left no pixel in the window
			start, total = min(start, s.in-1), 1
			w.weights = append(w.weights[:begin], 1)
		}
		for j := begin; j < len(w.weights); j++ {
			w.weights[j] /= total
		}
		w.finish(i, start)
	}
	return w
}
