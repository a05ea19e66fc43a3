package vips

// #include "load.h"
import "C"

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"unsafe"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
)

// Options say where the rows go and how much a picture may cost. One of Sink and Pixels has to be set.
type Options struct {
	// Channels of the rows delivered: 1 (of gray pictures only), 3 or 4; 0 is taken as 3. Gray is
	// repeated in RGB. Opacity is dropped without blending, or 255 where none is stored.
	Channels int

	// Inks has the rows of a CMYK picture delivered as they are stored, 4 channels, 255 being full ink.
	Inks bool
	// Premultiplied has samples of more than 8 bits divided by the opacity, once they have 8, as Pillow does. libvips
	// divides them before, unless the file says that they need it not.
	Premultiplied bool

	// Bits of the samples delivered: 8, which 0 means as well, or 16, uint16 in the machine's byte order.
	// Samples of 16 bits as 8 are their high bytes, and of 8 as 16 times 257. Of float samples 0 is black
	// and 1 white, what lies beyond is clipped, and what is no number is black. Those of OpenEXR and
	// Radiance are amounts of light, and get the curve of sRGB; those of TIFF are taken as they are.
	Bits int

	Sink   unsafe.Pointer // a spool_sink (kernel/sink.h) made for the picture's width, Channels and Bits
	Pixels []byte         // memory for the whole picture: Height rows, Stride bytes apart
	Stride int            // bytes; 0: rows without gaps

	MaxPixels int64 // 0: no limit
	MaxMemory int64 // bytes that decoding may need beside the rows, by Header.Memory; 0: no limit
}

// Report says what Decode delivered.
type Report struct {
	Rows     int
	Warnings int // complaints of the loader that did not stop it, most of them about metadata
}

// Decode decodes the page of the picture in data that h describes; h is what ReadHeader said of it.
//
//	Result:       rows of samples, interleaved, from top to bottom, colours as stored: no profile is applied,
//	              CMYK is mixed by the plain formula.
//	Ownership:    data, sink and pixels are lent. After an error what they hold is unspecified.
//	Cancellation: between strips of 16 rows, between pieces of a JXL file, and between the tiles of a HEIC file.
//	              A HEIC file of one tile is decoded to its end.
//	Errors:       corrupt: the loader refused the bytes, a file cut short included; unsupported: samples that
//	              have no form of 8 or 16 bits, or no loader; too-large; canceled and timeout; spool.ErrOptions.
//	Concurrency:  safe; one thread of the system for the time of the call (HEIC and JXL codecs start
//	              short-lived ones of their own).
//	Cost:         one C call.
func Decode(c *call.Call, data []byte, h Header, o Options) (Report, error) {
	if o.Channels == 0 {
		o.Channels = 3
	}
	if o.Bits == 0 {
		o.Bits = 8
	}
	if o.Stride == 0 {
		o.Stride = h.Width * o.pixel()
	}
	if err := errors.Join(o.problems(h)...); err != nil {
		return Report{}, fmt.Errorf("%w: %w", spool.ErrOptions, err)
	}
	if err := admit(c, h.Format, data); err != nil {
		return Report{}, err
	}
	if err := o.limit(h); err != nil {
		return Report{}, err
	}
	if h.Pages == 0 {
		return Report{}, &spool.Error{Op: "decode", Class: spool.ErrUnsupported, Lib: library,
			Text: "an animated JPEG XL, of which libvips decodes the last frame only"}
	}
	inks := 0
	if o.Inks {
		inks = 1
	}
	var premultiplied C.int32_t
	if o.Premultiplied {
		premultiplied = 1
	}
	request := C.spool_vips_request{
		premultiplied: premultiplied,
		source:        h.source(),
		width:         C.int32_t(h.Width),
		height:        C.int32_t(h.Height),
		channels:      C.int32_t(o.Channels),
		bits:          C.int32_t(o.Bits),
		inks:          C.int32_t(inks),
		stride:        C.int64_t(o.Stride),
	}
	var note C.spool_vips_note
	code := C.spool_vips_decode(unsafe.Pointer(&data[0]), C.size_t(len(data)), &request,
		(*C.spool_sink)(o.Sink), (*C.uint8_t)(unsafe.SliceData(o.Pixels)), (*C.int32_t)(c.Flag()), &note)
	runtime.KeepAlive(data)
	report := Report{Rows: int(note.rows), Warnings: int(note.warnings)}
	if code != C.SPOOL_VIPS_OK {
		return report, failure(c, "decode", h.Format, code, &note)
	}
	return report, nil
}

// pixel is the bytes of a pixel that is delivered.
func (o *Options) pixel() int { return o.Channels * o.Bits / 8 }

func (o *Options) problems(h Header) (problems []error) {
	if h.Width < 1 || h.Height < 1 || h.Width > math.MaxInt32 || h.Height > math.MaxInt32 || h.Page < 0 {
		problems = append(problems, fmt.Errorf("header of a picture of %d x %d, page %d", h.Width, h.Height, h.Page))
	}
	if o.Channels != 1 && o.Channels != 3 && o.Channels != 4 {
		problems = append(problems, fmt.Errorf("%d channels; there are 1, 3 and 4", o.Channels))
	}
	if o.Bits != 8 && o.Bits != 16 {
		problems = append(problems, fmt.Errorf("samples of %d bits; there are 8 and 16", o.Bits))
	}
	if o.Inks && (o.Channels != 4 || h.Color != CMYK) {
		problems = append(problems, fmt.Errorf("inks in %d channels, or of a picture that is not CMYK", o.Channels))
	}
	if o.Channels == 1 && h.Color != Gray {
		problems = append(problems, errors.New("1 channel of a picture that is not gray"))
	}
	switch {
	case (o.Sink == nil) == (o.Pixels == nil):
		problems = append(problems, errors.New("one of Sink and Pixels has to be set"))
	case o.Sink == nil && o.Stride < h.Width*o.pixel():
		problems = append(problems, fmt.Errorf("stride %d is shorter than a row of %d", o.Stride, h.Width*o.pixel()))
	case o.Sink == nil && len(o.Pixels) < (h.Height-1)*o.Stride+h.Width*o.pixel():
		problems = append(problems, fmt.Errorf("%d bytes for %d rows of %d", len(o.Pixels), h.Height, o.Stride))
	}
	return problems
}
