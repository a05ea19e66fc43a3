package jpeg

/*
#cgo noescape spool_jpeg_decode
#cgo nocallback spool_jpeg_decode
#include "jpeg.h"
*/
import "C"

import "github.com/spoolmedia/spool/cbridge/call"

// maxScans is far above what encoders write (about 10) and keeps a small file from costing minutes:
// each scan of a progressive picture visits all of its coefficients. It is the limit that
// libjpeg-turbo's own fuzzers set.
const maxScans = 500

// Report is what became of a picture.
type Report struct {
	Width, Height int // of the whole picture

	// Rows is the number of rows delivered, from the first one wanted. After a premature end these are
	// the rows that no missing data would change; in a file of several scans, where each refines the
	// whole picture, the rows that have a first version in every component.
	Rows int

	// Truncated says that the data ended too early, Fraction how much of the picture's coefficients
	// came in full: in a file of one scan that is the fraction of its rows, by MCU rows. In a progressive
	// file a coefficient counts once its last bit has come. 1 when no end was met.
	Truncated bool
	Fraction  float64

	Warnings int    // what libjpeg warned of and went on
	Warning  string // the first of these
}

// Decode decodes the picture in data and delivers the rows wanted.
//
// Data, sink and destination are lent. The call stops within 16 rows, or a row of MCUs of a
// scan, when c's context ends. It makes one C call, and no Go allocation unless libjpeg warns.
//
// Errors are a *spool.Error of class empty, not-media, truncated, unsupported, corrupt, too-large,
// canceled or timeout; or spool.ErrOptions; or spool.ErrShape when the picture is not of the sink's
// size, does not have the rows, or does not fit Dst. What the destination holds then is unspecified.
// The report is filled as far as decoding came, also on error.
func Decode(c *call.Call, data []byte, o Options) (Report, error) {
	if err := o.validate(); err != nil {
		return Report{}, err
	}
	if err := sniff("decode", data); err != nil {
		return Report{}, err
	}
	options := C.spool_jpeg_options{
		color:      C.int32_t(o.Color),
		width:      C.int32_t(o.Width),
		height:     C.int32_t(o.Height),
		first:      C.int32_t(o.First),
		last:       C.int32_t(o.Last),
		max_scans:  maxScans,
		max_memory: C.int64_t(max(o.MaxMemory, 0)),
		accept:     C.double(o.Accept),
	}
	if o.MaxMemory == 0 {
		options.max_memory = DefaultMaxMemory
	}
	var r C.spool_jpeg_report
	status := C.spool_jpeg_decode(bytesOf(data), C.size_t(len(data)), &options, (*C.spool_sink)(o.Sink),
		bytesOf(o.Dst), C.size_t(len(o.Dst)), C.size_t(o.Stride), (*C.int32_t)(c.Flag()), &r)
	report := Report{
		Width:     int(r.width),
		Height:    int(r.height),
		Rows:      int(r.rows),
		Truncated: r.truncated != 0,
		Fraction:  float64(r.fraction),
		Warnings:  int(r.warnings),
	}
	if report.Warnings > 0 {
		report.Warning = textOf(&r.warning)
	}
	switch status {
	case C.SPOOL_JPEG_OK:
		return report, nil
	case C.SPOOL_CANCELLED:
		return report, cancelled(c)
	}
	return report, failure("decode", status, &r)
}
