package png

/*
#cgo noescape spool_png_decode
#cgo nocallback spool_png_decode
#include "spool_png.h"
*/
import "C"

import "github.com/spoolmedia/spool/cbridge/call"

// Report describes what Decode delivered.
type Report struct {
	Width, Height int // of the whole image

	// Rows is the number of delivered rows, counted from the first wanted one. In a damaged image these are the rows above
	// the damage. In a damaged interlaced image, where each pass refines the whole image, these are the rows of which the
	// first pass was read.
	Rows int

	// Damaged reports that decoding stopped at an error. Fraction is the share of the image's pixels that were decoded
	// before it, 1 without an error.
	Damaged  bool
	Fraction float64
	Damage   string // the accepted error

	Libpng   bool   // decoded by libpng instead of this package
	Warnings int    // number of irregularities that did not affect the pixels
	Warning  string // the first of them
}

// Decode decodes the image in data and pushes the wanted rows. For an animation it decodes the first frame.
//
// Data, sink and destination are borrowed for the call. Decode makes one C call, and no Go allocation unless the file
// is irregular. When c's context ends, it stops within 64 KiB of inflated data, or 16 rows.
//
// Errors are a *spool.Error of class empty, not-media, truncated, unsupported, corrupt, too-large, canceled or timeout;
// or spool.ErrOptions. The error is spool.ErrShape if the image does not have the sink's size or the requested rows,
// channels or bits, or does not fit Dst. After an error the content of the destination is unspecified. The report is
// also filled on error, as far as decoding came.
func Decode(c *call.Call, data []byte, o Options) (Report, error) {
	defer c.Part("png: decode", c.Begin())
	o.setDefaults()
	if err := o.validate(); err != nil {
		return Report{}, err
	}
	if err := sniff("decode", data); err != nil {
		return Report{}, err
	}
	options := o.c()
	var r C.spool_png_report
	status := C.spool_png_decode(bytesOf(data), C.size_t(len(data)), &options, (*C.spool_sink)(o.Sink),
		bytesOf(o.Dst), C.size_t(len(o.Dst)), C.size_t(o.Stride), (*C.int32_t)(c.Flag()), &r)
	return conclude(c, status, &r)
}

// c returns the options for C.
func (o *Options) c() C.spool_png_options {
	return C.spool_png_options{
		channels:     C.int32_t(o.Channels),
		bits:         C.int32_t(o.Bits),
		width:        C.int32_t(o.Width),
		height:       C.int32_t(o.Height),
		first:        C.int32_t(o.First),
		last:         C.int32_t(o.Last),
		max_memory:   C.int64_t(o.MaxMemory),
		max_inflated: maxInflated,
		accept:       C.double(o.Accept),
	}
}

// conclude makes a report and an error from the result of a C call.
func conclude(c *call.Call, status C.int, r *C.spool_png_report) (Report, error) {
	report := Report{
		Width:    int(r.width),
		Height:   int(r.height),
		Rows:     int(r.rows),
		Damaged:  r.damaged != 0,
		Fraction: float64(r.fraction),
		Libpng:   r.engine == C.SPOOL_PNG_LIBPNG,
		Warnings: int(r.warnings),
	}
	if report.Warnings > 0 {
		report.Warning = textOf(&r.warning)
	}
	switch status {
	case C.SPOOL_PNG_OK:
		if report.Damaged {
			report.Damage = textOf(&r.text)
		}
		return report, nil
	case C.SPOOL_CANCELLED:
		return report, cancelled(c)
	}
	return report, failure("decode", status, r)
}
