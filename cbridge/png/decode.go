package png

/*
#cgo noescape spool_png_decode
#cgo nocallback spool_png_decode
#include "spool_png.h"
*/
import "C"

import "github.com/spoolmedia/spool/cbridge/call"

// Report is what became of a picture.
type Report struct {
	Width, Height int // of the whole picture

	// Rows is the number of rows delivered, from the first one wanted. Of a damaged picture these are the
	// rows above the damage; of an interlaced one, where each pass refines the whole picture, the rows
	// that have a first version.
	Rows int

	// Damaged says that reading stopped at an error, and Fraction how much of the picture's pixels came
	// before it. 1 when there was none.
	Damaged  bool
	Fraction float64
	Damage   string // the error, where it was accepted

	Libpng   bool   // libpng made the rows, not the code of this package
	Warnings int    // what was wrong but did no harm to the pixels
	Warning  string // the first one
}

// Decode decodes the picture in data and delivers the rows wanted. Of an animation that is the first
// frame.
//
// Data, sink and destination are lent. The call makes one C call, and no Go allocation unless something
// is wrong with the file. When c's context ends, it stops within 64 KiB of inflated data, or 16 rows.
//
// Errors are a *spool.Error of class empty, not-media, truncated, unsupported, corrupt, too-large,
// canceled or timeout; or spool.ErrOptions; or spool.ErrShape when the picture is not of the sink's size,
// does not have the rows, channels or bits, or does not fit Dst. What the destination holds then is
// unspecified. The report is filled as far as decoding came, also on error.
func Decode(c *call.Call, data []byte, o Options) (Report, error) {
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

// c is the options as C has them.
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

// conclude makes a report and an error of what C said.
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
