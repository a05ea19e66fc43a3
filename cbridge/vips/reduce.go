package vips

// Reduced is the header of the smallest resolution of a JPEG 2000 picture that is not smaller than width x
// height: less work than the whole one, by a low-pass filter of its own. It is h itself where there is none.
func (h Header) Reduced(width, height int) Header {
	level := 0
	for next := 1; next < h.Levels && halved(h.Width, next) >= width && halved(h.Height, next) >= height; next++ {
		level = next
	}
	h.Level, h.Width, h.Height = level, halved(h.Width, level), halved(h.Height, level)
	return h
}

// halved is n after so many halvings, each rounded up.
func halved(n, times int) int { return (n + 1<<times - 1) >> times }
