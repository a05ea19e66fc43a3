package resample

import "sync"

// windows are the free windows of a filter, for its next resamplers. Garbage collection of a short stream's window
// takes longer than resampling the stream.
type windows struct {
	mu   sync.Mutex
	free [][]float32
}

// mostWindows bounds the number of free windows, to the number of workers in most programs.
const mostWindows = 16

// get returns n floats of undefined value.
func (w *windows) get(n int) []float32 {
	w.mu.Lock()
	defer w.mu.Unlock()
	if last := len(w.free) - 1; last >= 0 && len(w.free[last]) >= n {
		window := w.free[last]
		w.free = w.free[:last]
		return window
	}
	return alignedFloats(n)
}

// put returns a window to the free windows.
func (w *windows) put(window []float32) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.free) < mostWindows && len(window) <= maxWindow {
		w.free = append(w.free, window)
	}
}

// maxWindow is the most floats of a window that is kept: eight channels of a usual filter.
const maxWindow = 1 << 17
