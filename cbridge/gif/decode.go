package gif

/*
#cgo CFLAGS: -O3 -Wall -Wextra -Werror -I${SRCDIR}/../kernel -I${SRCDIR}/../call
#cgo noescape spool_gif_decode
#cgo nocallback spool_gif_decode
#include "gif.h"
*/
import "C"

import (
	"fmt"
	"time"
	"unsafe"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/mem"
	"github.com/spoolmedia/spool/internal/invalid"
)

// Options describe the output.
type Options struct {
	// Sink is a row sink of cbridge/kernel (C memory) for an image of Width x Height pixels of Channels bytes. If it is
	// nil, an Animation composes its next frame without output.
	Sink          unsafe.Pointer
	Width, Height int // must equal the header's
	Channels      int // 3, or 4 with alpha

	// MaxMemory bounds the allocated memory in bytes; 0 means DefaultMaxMemory, negative means no bound.
	MaxMemory int64

	// Background sets transparent pixels and pixels outside the frame to the file's background color, as torchvision does,
	// instead of Pillow's colors. It applies to Decode with 3 channels.
	Background bool
}

// DefaultMaxMemory bounds the indices of a frame and the canvas of an animation, in bytes.
const DefaultMaxMemory = 2 << 30

// validate returns all problems, joined.
func (o *Options) validate() error {
	if o.Sink == nil {
		return nil
	}
	var bad invalid.Options
	if o.Channels != 3 && o.Channels != 4 {
		bad.Addf("gif: %d channels", o.Channels)
	}
	if o.Width <= 0 || o.Height <= 0 {
		bad.Addf("gif: a sink of %dx%d", o.Width, o.Height)
	}
	return bad.Err()
}

// allows returns an error if n bytes exceed MaxMemory.
func (o *Options) allows(n int64) error {
	limit := o.MaxMemory
	if limit == 0 {
		limit = DefaultMaxMemory
	}
	if limit > 0 && n > limit {
		return failure(spool.ErrTooLarge, "decoding takes %d bytes of memory, the limit is %d", n, limit)
	}
	return nil
}

// Report is the result of decoding a frame.
type Report struct {
	Fraction float64       // of its pixels that were read; 1 if all that the sink needs were read
	Delay    time.Duration // display time of the frame
}

// Decode decodes the first frame and pushes the canvas rows that the sink needs.
//
// It borrows data and the sink for the call, makes one C call, and stops soon after c's context ends. It allocates at
// most Header.Memory bytes.
//
// An error is a *spool.Error of class empty, not-media, truncated, corrupt, too-large, canceled or timeout, or
// spool.ErrOptions, spool.ErrShape or spool.ErrOutOfMemory. It is spool.ErrShape if the size of the image differs from
// the sink's. After a truncated or corrupt frame the sink has the rows above the damage, and Report.Fraction is the
// share of the pixels that was read.
func Decode(c *call.Call, data []byte, o Options) (Report, error) {
	if err := o.validate(); err != nil {
		return Report{}, err
	}
	if o.Sink == nil {
		return Report{}, fmt.Errorf("%w: gif: no Sink", spool.ErrOptions)
	}
	w, f, err := begin(data)
	if err != nil {
		return Report{}, err
	}
	var canvas C.spool_gif_canvas
	width, height := w.canvas(f)
	canvas.width, canvas.height = C.int32_t(width), C.int32_t(height)
	colors := f.colors()
	canvas.fill = colors[max(f.transparent, 0)]
	if o.Background && o.Channels == 3 {
		background := [4]C.uint8_t{C.uint8_t(w.backgroundColor[0]), C.uint8_t(w.backgroundColor[1]),
			C.uint8_t(w.backgroundColor[2]), 255}
		canvas.fill = background
		if f.firstTransparent >= 0 {
			colors[f.firstTransparent] = background
		}
	}
	return f.decode(c, data, &colors, -1, canvas, false, o)
}

// colors returns the RGBA color of each index. The transparent index has alpha 0. As in Pillow, an index beyond the
// table is black, and without a table all colors are gray.
func (f *frame) colors() (list [256][4]C.uint8_t) {
	for i := range list {
		var rgb [3]byte
		switch {
		case f.table == nil:
			rgb = [3]byte{byte(i), byte(i), byte(i)}
		case 3*i < len(f.table):
			rgb = [3]byte(f.table[3*i:])
		}
		list[i] = [4]C.uint8_t{C.uint8_t(rgb[0]), C.uint8_t(rgb[1]), C.uint8_t(rgb[2]), 255}
	}
	if f.transparent >= 0 {
		list[f.transparent][3] = 0
	}
	return list
}

// pixelsPerByte bounds the pixels in one byte of LZW data: a code has up to 12 bits and stands for up to 4096 pixels.
const pixelsPerByte = 4096

// decode calls C to unpack the frame's LZW data, paint them on the canvas and push rows to the sink.
func (f *frame) decode(c *call.Call, data []byte, colors *[256][4]C.uint8_t, skipped int, canvas C.spool_gif_canvas,
	opaque bool, o Options) (Report, error) {
	defer c.Part("spool gif: decode", c.Begin())
	if err := f.check(); err != nil {
		return Report{}, err
	}
	if o.Sink != nil && (o.Width != int(canvas.width) || o.Height != int(canvas.height)) {
		return Report{}, fmt.Errorf("%w: gif: an image of %dx%d for a sink of %dx%d", spool.ErrShape, canvas.width,
			canvas.height, o.Width, o.Height)
	}
	area := f.width * f.height
	capacity := max(min(area, (len(data)-f.at)*pixelsPerByte), 1)
	if err := o.allows(int64(capacity)); err != nil {
		return Report{}, err
	}
	indices, err := mem.Alloc(mem.Scratch, capacity)
	if err != nil {
		return Report{}, err
	}
	defer mem.Free(mem.Scratch, indices, capacity)

	stored := C.spool_gif_frame{
		x: C.int32_t(f.x), y: C.int32_t(f.y), width: C.int32_t(f.width), height: C.int32_t(f.height),
		bits: C.int32_t(f.bits), skipped: C.int32_t(skipped), colors: *colors,
	}
	if f.interlaced {
		stored.interlaced = 1
	}
	form := C.spool_gif_form{channels: C.int32_t(o.Channels)}
	if opaque {
		form.opaque = 1
	}
	var count C.size_t
	status := C.spool_gif_decode((*C.uint8_t)(unsafe.SliceData(data[f.at:])), C.size_t(len(data)-f.at), &stored, &canvas,
		&form, (*C.spool_sink)(o.Sink), (*C.uint8_t)(indices), C.size_t(capacity), (*C.int32_t)(c.Flag()), &count)
	report := Report{Fraction: float64(count) / float64(area), Delay: f.delay}
	switch status {
	case C.SPOOL_GIF_OK:
		report.Fraction = 1
		return report, nil
	case C.SPOOL_CANCELLED:
		return report, cancelled(c)
	case C.SPOOL_GIF_TRUNCATED:
		return report, failure(spool.ErrTruncated, "the data end with %.1f %% of the frame read", 100*report.Fraction)
	case C.SPOOL_GIF_CORRUPT:
		return report, failure(spool.ErrCorrupt, "an invalid code, with %.1f %% of the frame read", 100*report.Fraction)
	}
	return report, fmt.Errorf("%w: gif: the sink failed (status %d)", spool.ErrInternal, status)
}
