package resample

import "sync"

// windows are those of a filter's resamplers that are not in use, for the next ones: a short sound takes longer to collect
// as garbage than to resample.
type windows struct {
	mu   sync.Mutex
	kept [][]float32
}

// mostWindows bounds what is kept, to as many as there are workers in most programs.
const mostWindows = 16

// take gives n floats of any value.
func (w *windows) take(n int) []float32 {
	w.mu.Lock()
	defer w.mu.Unlock()
	if last := len(w.kept) - 1; last >= 0 && len(w.kept[last]) >= n {
		window := w.kept[last]
		w.kept = w.kept[:last]
		return window
	}
	return alignedFloats(n)
}

// give takes a window back.
func (w *windows) give(window []float32) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.kept) < mostWindows && len(window) <= maxWindow {
		w.kept = append(w.kept, window)
	}
}

// maxWindow is how many floats a window may have to be kept: eight channels of a usual filter.
const maxWindow = 1 << 17
