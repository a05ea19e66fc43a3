package jpeg

/*
#cgo noescape spool_jpeg_decode
#cgo nocallback spool_jpeg_decode
#include "jpeg.h"
*/
import "C"

import "github.com/spoolmedia/spool/cbridge/call"

// maxScans is far more than encoders write (about 10). It prevents a small file from taking minutes, since each scan of
// a progressive image visits all coefficients. libjpeg-turbo's own fuzzers use the same limit.
const maxScans = 500

// Report is the result of decoding an image.
type Report struct {
	Width, Height int // of the whole image

	// Rows is the number of rows delivered, from the first requested row. After a premature end, these are the rows that
	// the missing data would not change. In a file of several scans, where each refines the whole image, these are the
	// rows for which every component has had a scan.
	Rows int

	// Truncated reports a premature end. Fraction is the share of the image's coefficients that were complete at that
	// point, or 1 without a premature end. In a file of one scan, it is the share of its MCU rows. In a progressive file,
	// a coefficient is complete with its last bit.
	Truncated bool
	Fraction  float64

	Warnings int    // number of libjpeg's warnings, after which decoding continued
	Warning  string // the first of these
}

// Decode decodes the image in data, and delivers the requested rows.
//
// Data, sink and destination are borrowed. The call stops within 16 rows, or within an MCU row of a scan, when c's
// context ends. It makes one C call, and no Go allocation unless libjpeg warns.
//
// Errors are a *spool.Error of class empty, not-media, truncated, unsupported, corrupt, too-large, canceled or timeout;
// or spool.ErrOptions; or spool.ErrShape. The latter means that the image does not have the sink's size or the
// requested rows, or that it does not fit Dst. After an error, the content of the destination is unspecified. The
// report describes what was decoded, also on error.
func Decode(c *call.Call, data []byte, o Options) (Report, error) {
	defer c.Part("libjpeg-turbo: decode", c.Begin())
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
