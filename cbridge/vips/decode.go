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

// Options are the destination and the limits of a Decode call. Set either Sink or Pixels.
type Options struct {
	// Channels of the delivered rows: 1 (gray images only), 3 or 4; 0 means 3. Gray is repeated in RGB. Alpha is dropped
	// without blending, or 255 if none is stored.
	Channels int

	// Inks delivers a CMYK image as stored: 4 channels, where 255 is full ink.
	Inks bool
	// Premultiplied divides colors by alpha after samples are reduced to 8 bits, as in Pillow. It has no effect on 16-bit
	// output. libvips itself divides before the reduction, unless the file marks its alpha as unassociated.
	Premultiplied bool

	// Bits of the delivered samples: 8 (as is 0), or 16, as uint16 in native byte order. 16-bit samples are reduced to
	// their high bytes, and 8-bit samples are multiplied by 257. In float samples 0 is black and 1 white; values beyond
	// are clipped, and NaN is black. Float samples of OpenEXR and Radiance are linear light and get the sRGB curve; those
	// of TIFF are used unchanged.
	Bits int

	Sink   unsafe.Pointer // a spool_sink (kernel/sink.h) made for the image's width, Channels and Bits
	Pixels []byte         // memory for the whole image: Height rows, Stride bytes apart
	Stride int            // bytes; 0: rows without gaps

	MaxPixels int64 // 0: no limit
	MaxMemory int64 // limit of Header.Memory, in bytes; 0: no limit
}

// Report describes what Decode delivered.
type Report struct {
	Rows     int
	Warnings int // messages of the loader that did not stop it, most of them about metadata
}

// Decode decodes the page of the image in data that h describes; h is the result of ReadHeader.
//
//	Result:       rows of interleaved samples, from top to bottom, colors as stored: no profile is applied, and
//	              CMYK is converted by the simple formula.
//	Ownership:    data, sink and pixels are borrowed. After an error the content of sink and pixels is unspecified.
//	Cancellation: between strips of 16 rows, between pieces of a JXL file, and between the tiles of a HEIC file.
//	              A HEIC file with one tile is decoded to its end.
//	Errors:       corrupt: the loader refused the bytes, including truncated files; unsupported: samples that
//	              have no 8-bit or 16-bit form, or no loader; too-large; canceled and timeout; spool.ErrOptions.
//	Concurrency:  safe; occupies one thread during the call (HEIC and JXL codecs start
//	              short-lived threads of their own).
//	Cost:         one C call.
func Decode(c *call.Call, data []byte, h Header, o Options) (Report, error) {
	defer c.Part("libvips: decode", c.Begin())
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

// pixel returns the bytes of a delivered pixel.
func (o *Options) pixel() int { return o.Channels * o.Bits / 8 }

func (o *Options) problems(h Header) (problems []error) {
	if h.Width < 1 || h.Height < 1 || h.Width > math.MaxInt32 || h.Height > math.MaxInt32 || h.Page < 0 {
		problems = append(problems, fmt.Errorf("header of an image of %d x %d, page %d", h.Width, h.Height, h.Page))
	}
	if o.Channels != 1 && o.Channels != 3 && o.Channels != 4 {
		problems = append(problems, fmt.Errorf("%d channels; 1, 3 and 4 are supported", o.Channels))
	}
	if o.Bits != 8 && o.Bits != 16 {
		problems = append(problems, fmt.Errorf("samples of %d bits; 8 and 16 are supported", o.Bits))
	}
	if o.Inks && (o.Channels != 4 || h.Color != CMYK) {
		problems = append(problems, fmt.Errorf("inks require 4 channels of a CMYK image, not %d channels", o.Channels))
	}
	if o.Channels == 1 && h.Color != Gray {
		problems = append(problems, errors.New("1 channel requires a gray image"))
	}
	switch {
	case (o.Sink == nil) == (o.Pixels == nil):
		problems = append(problems, errors.New("set one of Sink and Pixels"))
	case o.Sink == nil && o.Stride < h.Width*o.pixel():
		problems = append(problems, fmt.Errorf("stride %d is shorter than a row of %d", o.Stride, h.Width*o.pixel()))
	case o.Sink == nil && len(o.Pixels) < (h.Height-1)*o.Stride+h.Width*o.pixel():
		problems = append(problems, fmt.Errorf("%d bytes for %d rows of %d", len(o.Pixels), h.Height, o.Stride))
	}
	return problems
}
