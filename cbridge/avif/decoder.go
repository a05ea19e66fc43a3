package avif

/*
#cgo pkg-config: libavif dav1d
#cgo LDFLAGS: -ldl
#cgo CFLAGS: -O3 -Wall -Wextra -Werror -I${SRCDIR}/../kernel -I${SRCDIR}/../call
#cgo noescape spool_avif_open
#cgo nocallback spool_avif_open
#cgo noescape spool_avif_decode
#cgo nocallback spool_avif_decode
#include "avif.h"
*/
import "C"

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/mem"
	"github.com/spoolmedia/spool/internal/invalid"
)

// MaxPixels is libavif's limit of pixels in an image.
const MaxPixels = C.AVIF_DEFAULT_IMAGE_SIZE_LIMIT

// opened counts the decoders that are not closed. libavif allocates their memory, so package mem does not count it.
var opened atomic.Int64

// Opened returns the number of decoders that are not closed.
func Opened() int64 { return opened.Load() }

// Decoder decodes the images of one file. Close releases it.
type Decoder struct {
	decoder *C.avifDecoder // nil after Close
	header  Header
	file    unsafe.Pointer // a copy of the file, overwritten when a call is cancelled
	size    int
}

// ReadHeader reads the container without decoding images. It borrows data for the call. It costs one C call of a few
// microseconds.
//
// Errors are a *spool.Error of class empty, not-media, truncated, corrupt, unsupported or too-large.
func ReadHeader(data []byte) (Header, error) {
	if len(data) == 0 {
		return Header{}, empty()
	}
	var pins runtime.Pinner
	pins.Pin(unsafe.SliceData(data))
	defer pins.Unpin()
	d := new(Decoder)
	err := d.open(data)
	_ = d.Close() // always nil
	return d.header, err
}

// Open opens a file for decoding. It copies data, so data is borrowed for the call only. Close MUST be called.
//
// Errors are those of ReadHeader, and spool.ErrOutOfMemory.
func Open(data []byte) (*Decoder, error) {
	if len(data) == 0 {
		return nil, empty()
	}
	d := &Decoder{size: len(data)}
	var err error
	if d.file, err = mem.Alloc(mem.Reader, d.size); err != nil {
		return nil, err
	}
	file := unsafe.Slice((*byte)(d.file), d.size)
	copy(file, data)
	if err := d.open(file); err != nil {
		_ = d.Close() // always nil
		return nil, err
	}
	return d, nil
}

// open creates libavif's decoder, which reads data until it is closed.
func (d *Decoder) open(data []byte) error {
	var h C.spool_avif_header
	var r C.spool_avif_report
	status := C.spool_avif_open(bytesOf(data), C.size_t(len(data)), &d.decoder, &h, &r)
	if d.decoder != nil {
		opened.Add(1)
	}
	if status != C.SPOOL_AVIF_OK {
		if err := oversized(data); err != nil {
			return err
		}
		return failure("probe", status, &r)
	}
	d.header = headerOf(&h)
	return nil
}

// Close frees the decoder. It returns nil. A second Close does nothing.
func (d *Decoder) Close() error {
	if d.decoder != nil {
		C.avifDecoderDestroy(d.decoder)
		d.decoder = nil
		opened.Add(-1)
	}
	if d.file != nil {
		mem.Free(mem.Reader, d.file, d.size)
		d.file = nil
	}
	return nil
}

// Header returns the header of the file.
func (d *Decoder) Header() Header { return d.header }

// Options describe the output.
type Options struct {
	// Sink is a row sink of cbridge/kernel (C memory) for an image of Width x Height pixels of Header.Channels samples.
	Sink          unsafe.Pointer
	Width, Height int  // must equal the image's
	Wide          bool // samples are uint16, otherwise uint8

	// MaxPixels bounds the size of the AV1 image, which can differ from the size in the container. 0 and larger values
	// mean the constant MaxPixels.
	MaxPixels int64
}

// validate returns all problems, joined.
func (o *Options) validate() error {
	var bad invalid.Options
	if o.Sink == nil {
		bad.Addf("avif: no Sink")
	}
	if o.MaxPixels < 0 {
		bad.Addf("avif: MaxPixels %d is negative", o.MaxPixels)
	}
	return bad.Err()
}

const marginRows = C.SPOOL_AVIF_BAND + 2*C.SPOOL_AVIF_MARGIN

// Decode decodes a frame and pushes the rows that the sink needs. In a sequence, the frame after the previous one costs
// one decode. Any other frame costs the decodes of all frames since the key frame before it.
//
// When c's context ends, the AV1 data are overwritten with zeros, which dav1d decodes in a tenth of the time or less.
// The decoder is then closed, and every later call fails with spool.ErrClosed.
//
// Errors are a *spool.Error of class truncated, corrupt, unsupported, too-large, no-such-frame, canceled or timeout.
// They can also be spool.ErrOptions, spool.ErrOutOfMemory, spool.ErrClosed, or spool.ErrShape if the size of the image
// differs from the sink's. After an error, rows that the sink has received are invalid.
func (d *Decoder) Decode(c *call.Call, frame int, o Options) error {
	defer c.Part("libavif: decode", c.Begin())
	if d.decoder == nil {
		return fmt.Errorf("avif: decoder: %w", spool.ErrClosed)
	}
	if err := o.validate(); err != nil {
		return err
	}
	if frame < 0 || frame >= d.header.Frames {
		text := fmt.Sprintf("there is no frame %d: the image's frame count is %d", frame, d.header.Frames)
		return &spool.Error{Op: "decode", Class: spool.ErrNoSuchFrame, Text: text}
	}
	h := &d.header
	if o.Width != h.Width || o.Height != h.Height {
		return fmt.Errorf("%w: avif: an image of %dx%d for a sink of %dx%d", spool.ErrShape, h.Width, h.Height, o.Width,
			o.Height)
	}
	options := C.spool_avif_options{width: C.int32_t(o.Width), height: C.int32_t(o.Height), max_pixels: MaxPixels}
	if h.Alpha {
		options.alpha = 1
	}
	sampleBytes := 1
	if o.Wide {
		options.wide, sampleBytes = 1, 2
	}
	if o.MaxPixels > 0 {
		options.max_pixels = C.uint32_t(min(o.MaxPixels, MaxPixels))
	}
	n := min(marginRows, h.Height) * h.Width * h.Channels() * sampleBytes
	band, err := mem.Alloc(mem.Scratch, n)
	if err != nil {
		return err
	}
	defer mem.Free(mem.Scratch, band, n)
	var r C.spool_avif_report
	keep := c.Spoil(d.file, d.size)
	status := C.spool_avif_decode(d.decoder, C.int32_t(frame), &options, (*C.spool_sink)(o.Sink), (*C.uint8_t)(band),
		(*C.int32_t)(c.Flag()), &r)
	if spoiled := keep(); spoiled || status == C.SPOOL_CANCELLED {
		_ = d.Close() // always returns nil
		return cancelled(c)
	}
	switch status {
	case C.SPOOL_AVIF_OK:
		return nil
	case C.SPOOL_AVIF_SHAPE:
		text := fmt.Sprintf("frame %d differs from its header in size or alpha", frame)
		return &spool.Error{Op: "decode", Class: spool.ErrCorrupt, Text: text}
	}
	return failure("decode", status, &r)
}

// seconds converts seconds to a duration. Invalid values become 0.
func seconds(s float64) time.Duration {
	if !(s > 0 && s < 1e9) {
		return 0
	}
	return time.Duration(s * float64(time.Second))
}

// bytesOf returns the address of the first byte of b, which may be empty.
func bytesOf(b []byte) *C.uint8_t { return (*C.uint8_t)(unsafe.SliceData(b)) }
