package gif

/*
#include "gif.h"
*/
import "C"

import (
	"unsafe"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/mem"
)

// disposeBackground is the disposal method that fills the frame's area with the background. Lower methods leave the
// canvas as it is. Method 3 and undefined methods restore the previous content.
const disposeBackground = 2

// Animation composes the frames of an animated image in order.
type Animation struct {
	data   []byte // borrowed until Close
	walker *walker
	first  frame
	failed error // of a previous Next

	canvas C.spool_gif_canvas
	last   disposal
}

// disposal is the operation before the next frame is painted. It fills a rectangle of the canvas with a color or with
// its saved content. If both are nil, it does nothing.
type disposal struct {
	x, y, width, height int // within the canvas
	color               *[4]C.uint8_t
	saved               unsafe.Pointer
}

// Open starts an animation. It borrows data until Close, which MUST be called. It allocates almost nothing: the first
// Next allocates the canvas. Errors are those of ReadHeader.
func Open(data []byte) (*Animation, error) {
	w, first, err := begin(data)
	if err != nil {
		return nil, err
	}
	a := &Animation{data: data, walker: w, first: first}
	width, height := w.canvas(first)
	a.canvas.width, a.canvas.height = C.int32_t(width), C.int32_t(height)
	return a, nil
}

// Next composes the next frame and pushes the canvas rows that the sink needs. Results and errors are those of Decode,
// and ErrNoSuchFrame after the last frame. After an error every further call returns the same error.
func (a *Animation) Next(c *call.Call, o Options) (Report, error) {
	if a.failed != nil {
		return Report{}, a.failed
	}
	report, err := a.next(c, o)
	a.failed = err
	return report, err
}

func (a *Animation) next(c *call.Call, o Options) (Report, error) {
	if err := o.validate(); err != nil {
		return Report{}, err
	}
	if a.canvas.pixels == nil {
		return a.begin(c, o)
	}
	number := a.walker.frames
	f, err := a.walker.next()
	if err != nil {
		return Report{}, classed(err, number)
	}
	a.dispose()
	colors := a.colors(&f)
	if err := a.plan(&f, &colors, o); err != nil {
		return Report{}, err
	}
	return f.decode(c, a.data, &colors, f.transparent, a.canvas, a.opaque(), o)
}

// begin allocates the canvas and composes the first frame.
func (a *Animation) begin(c *call.Call, o Options) (Report, error) {
	n := 4 * int(a.canvas.width) * int(a.canvas.height)
	if err := o.allows(int64(n)); err != nil {
		return Report{}, err
	}
	pixels, err := mem.Alloc(mem.Scratch, n)
	if err != nil {
		return Report{}, err
	}
	a.canvas.pixels = (*C.uint8_t)(pixels)
	f := a.first
	colors := a.colors(&f)
	none := colors[max(f.transparent, 0)]
	all := disposal{width: int(a.canvas.width), height: int(a.canvas.height), color: &none}
	all.fill(a.canvas)
	color := none
	if f.disposal == disposeBackground && f.transparent < 0 {
		color = colors[max(a.walker.background, 0)]
	}
	if f.disposal == disposeBackground || f.disposal > disposeBackground && f.transparent >= 0 {
		a.last = a.area(&f)
		a.last.color = &color
	} // otherwise do nothing: there is no content before the first frame to restore
	return f.decode(c, a.data, &colors, -1, a.canvas, a.opaque(), o)
}

// opaque reports whether all frames are opaque.
func (a *Animation) opaque() bool { return a.first.transparent < 0 }

// colors returns the RGBA colors of a frame. If the first frame is gray, Pillow composes gray levels, and the first
// frame's transparent index applies to all gray frames.
func (a *Animation) colors(f *frame) [256][4]C.uint8_t {
	if a.first.table == nil && f.table == nil {
		return a.first.colors()
	}
	return f.colors()
}

// area returns the rectangle of the canvas that a frame covers.
func (a *Animation) area(f *frame) disposal {
	x, y := min(f.x, int(a.canvas.width)), min(f.y, int(a.canvas.height))
	return disposal{x: x, y: y,
		width: min(f.width, int(a.canvas.width)-x), height: min(f.height, int(a.canvas.height)-y)}
}

// plan prepares the disposal of a frame before it is painted. It is not used for the first frame.
func (a *Animation) plan(f *frame, colors *[256][4]C.uint8_t, o Options) error {
	d := a.area(f)
	if f.disposal < disposeBackground || d.bytes() == 0 {
		return nil
	}
	if f.disposal == disposeBackground {
		color := a.background(f, colors)
		d.color = &color
		a.last = d
		return nil
	}
	if err := o.allows(int64(d.bytes())); err != nil {
		return err
	}
	saved, err := mem.Alloc(mem.Scratch, d.bytes())
	if err != nil {
		return err
	}
	d.saved = saved
	a.last = d
	a.last.copy(a.canvas, 0)
	return nil
}

// background returns the color that disposal fills a frame's area with: transparent if the frame has transparency,
// otherwise the background color.
func (a *Animation) background(f *frame, colors *[256][4]C.uint8_t) [4]C.uint8_t {
	index := f.transparent
	if a.first.table == nil && a.first.transparent >= 0 {
		index = a.first.transparent
	}
	transparent := index >= 0
	if !transparent {
		index = max(a.walker.background, 0)
	}
	if 3*index >= len(f.table) && f.table != nil {
		index = 0
	}
	color := colors[index]
	if transparent {
		color[3] = 0
	}
	return color
}

// bytes is the size of the saved content.
func (d *disposal) bytes() int { return 4 * d.width * d.height }

// copy saves the rectangle of the canvas, or restores it if back is nonzero.
func (d *disposal) copy(canvas C.spool_gif_canvas, back C.int) {
	C.spool_gif_copy(&canvas, C.int32_t(d.x), C.int32_t(d.y), C.int32_t(d.width), C.int32_t(d.height),
		(*C.uint8_t)(d.saved), back)
}

func (d *disposal) fill(canvas C.spool_gif_canvas) {
	color := *d.color
	C.spool_gif_fill(&canvas, C.int32_t(d.x), C.int32_t(d.y), C.int32_t(d.width), C.int32_t(d.height), &color[0])
}

// dispose applies the disposal of the previous frame.
func (a *Animation) dispose() {
	d := &a.last
	switch {
	case d.color != nil:
		d.fill(a.canvas)
	case d.saved != nil:
		d.copy(a.canvas, 1)
	}
	a.forget()
}

// forget frees the saved content and resets the disposal.
func (a *Animation) forget() {
	mem.Free(mem.Scratch, a.last.saved, a.last.bytes())
	a.last = disposal{}
}

// Close frees the canvas; data is no longer used. It returns nil. A second Close does nothing.
func (a *Animation) Close() error {
	a.forget()
	mem.Free(mem.Scratch, unsafe.Pointer(a.canvas.pixels), 4*int(a.canvas.width)*int(a.canvas.height))
	a.canvas.pixels = nil
	a.failed = spool.ErrClosed
	return nil
}
