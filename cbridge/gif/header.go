package gif

import (
	"errors"
	"time"
)

// Header is what a file says of its pictures.
type Header struct {
	Width, Height int // of the canvas
	Frames        int // whose data have begun; the last one may be cut short
	Gray          bool
	Alpha         bool          // the first frame has transparency; where it has none no frame does
	Loops         int           // how often the animation is to run, 0 for ever, -1 where the file does not say
	Duration      time.Duration // of all frames
	Cut           bool          // the data end within a block; that the trailer is missing is not enough

	area int // of the first frame
}

// Memory is what Decode takes beside the rows, in bytes; an Animation takes four for each pixel of the
// canvas as well, and up to four more for what is disposed of.
func (h Header) Memory() int64 { return int64(h.area) }

// ReadHeader goes over the blocks of the whole file and decodes no pixel: it costs time in proportion to
// the file's size, about half a millisecond for 10 MB, and no memory. Data are lent.
//
// Errors are a *spool.Error of class not-media, truncated or corrupt, where there is no first frame.
func ReadHeader(data []byte) (Header, error) {
	w, f, err := begin(data)
	if err != nil {
		return Header{}, err
	}
	h := Header{Alpha: f.transparent >= 0, Gray: f.table == nil, area: f.width * f.height}
	h.Width, h.Height = w.canvas(f)
	for ; err == nil; f, err = w.next() {
		h.Duration += f.delay
	}
	h.Frames, h.Loops = w.frames, w.loops
	h.Cut = w.cut || errors.Is(err, errCut)
	return h, nil
}
