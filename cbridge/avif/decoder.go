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
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/mem"
)

// MaxPixels is the largest picture that libavif takes.
const MaxPixels = C.AVIF_DEFAULT_IMAGE_SIZE_LIMIT

// opened counts the decoders that are not closed: their memory is libavif's own.
var opened atomic.Int64

// Opened is the number of decoders that are not closed.
func Opened() int64 { return opened.Load() }

// Decoder decodes the pictures of one file. It is released by Close.
type Decoder struct {
	decoder *C.avifDecoder // nil when closed
	header  Header
	file    unsafe.Pointer // a copy of the file, which is spoiled when a call is cancelled
	size    int
}

// ReadHeader reads what is around the pictures. Data are lent for the call. It costs one C call of some microseconds.
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

// Open prepares the pictures of a file for decoding. Data are lent for the call: they are copied. Close MUST follow.
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

// open makes the library's decoder, which refers to data until it is closed.
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

// Close frees the decoder. It returns nil; a second Close does nothing.
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

// Header is what the file says of its pictures.
func (d *Decoder) Header() Header { return d.header }

// Options say how to decode to where.
type Options struct {
	// Sink is a row sink of cbridge/kernel (C memory) made for a picture of Width x Height pixels of
	// Header.Channels samples.
	Sink          unsafe.Pointer
	Width, Height int  // checked against the picture
	Wide          bool // samples are uint16, else uint8

	// MaxPixels bounds what the AV1 data may hold: they can differ from what the file says of them. 0
	// means MaxPixels, and more is taken as that.
	MaxPixels int64
}

// validate reports all that is wrong, joined.
func (o *Options) validate() error {
	var problems []error
	problem := func(format string, args ...any) {
		problems = append(problems, fmt.Errorf("%w: avif: "+format, append([]any{spool.ErrOptions}, args...)...))
	}
	if o.Sink == nil {
		problem("no Sink")
	}
	if o.MaxPixels < 0 {
		problem("MaxPixels %d is negative", o.MaxPixels)
	}
	return errors.Join(problems...)
}

const marginRows = C.SPOOL_AVIF_BAND + 2*C.SPOOL_AVIF_MARGIN

// Decode decodes a frame and pushes the rows that the sink wants. Frames in sequence cost one decode
// each, others that of all frames from the key frame before.
//
// When c's context ends, the AV1 data are overwritten with zeros, which dav1d decodes in a tenth of the time or less.
// The decoder gives no frame after that, and every call fails with spool.ErrClosed.
//
// Errors are a *spool.Error of class truncated, corrupt, unsupported, too-large, no-such-frame, canceled
// or timeout; or spool.ErrOptions; or spool.ErrShape when the picture is not of the sink's size; or
// spool.ErrClosed. After an error the sink may have got rows, which mean nothing.
func (d *Decoder) Decode(c *call.Call, frame int, o Options) error {
	if d.decoder == nil {
		return fmt.Errorf("avif: decoder: %w", spool.ErrClosed)
	}
	if err := o.validate(); err != nil {
		return err
	}
	if frame < 0 || frame >= d.header.Frames {
		text := fmt.Sprintf("there is no frame %d: the picture has %d", frame, d.header.Frames)
		return &spool.Error{Op: "decode", Class: spool.ErrNoSuchFrame, Text: text}
	}
	h := &d.header
	if o.Width != h.Width || o.Height != h.Height {
		return fmt.Errorf("%w: avif: a picture of %dx%d for a sink of %dx%d", spool.ErrShape, h.Width, h.Height, o.Width, o.Height)
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
		_ = d.Close() // always nil
		return cancelled(c)
	}
	switch status {
	case C.SPOOL_AVIF_OK:
		return nil
	case C.SPOOL_AVIF_SHAPE:
		text := fmt.Sprintf("frame %d is not what the file says of it", frame)
		return &spool.Error{Op: "decode", Class: spool.ErrCorrupt, Text: text}
	}
	return failure("decode", status, &r)
}

// seconds as a duration; nonsense is 0.
func seconds(s float64) time.Duration {
	if !(s > 0 && s < 1e9) {
		return 0
	}
	return time.Duration(s * float64(time.Second))
}

// bytesOf is the address of the first byte of b, which may be empty.
func bytesOf(b []byte) *C.uint8_t { return (*C.uint8_t)(unsafe.SliceData(b)) }
