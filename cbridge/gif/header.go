package gif

import (
	"errors"
	"time"
)

// Header describes an image or animation, as stored in the file.
type Header struct {
	Width, Height int // of the canvas
	Frames        int // with at least the start of their data; the last may be truncated
	Gray          bool
	Alpha         bool          // the first frame has transparency; without it no frame has
	Loops         int           // number of repetitions: 0 for endless, -1 if the file has none
	Duration      time.Duration // of all frames
	Cut           bool          // the data end within a block; a missing trailer alone does not count

	area int // of the first frame
}

// Memory is the memory that Decode allocates besides the rows, in bytes. An Animation also allocates four bytes for
// each pixel of the canvas, and up to four more for content saved for disposal.
func (h Header) Memory() int64 { return int64(h.area) }

// ReadHeader reads the blocks of the whole file and decodes no pixels. Its time is proportional to the file's size,
// about half a millisecond for 10 MB. It allocates no memory, and borrows data for the call.
//
// Errors are a *spool.Error of class empty, not-media, truncated or corrupt, if there is no first frame that can be
// decoded.
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
