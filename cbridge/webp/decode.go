package webp

/*
#cgo noescape spool_webp_decode
#cgo nocallback spool_webp_decode
#include "webp.h"
*/
import "C"

import (
	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
)

// Report describes what Decode delivered.
type Report struct {
	// Rows is the number of delivered rows, counted from the first wanted one; for planes it counts rows of luma. In a
	// damaged image these are the rows that do not depend on missing data.
	Rows int

	// Damaged reports that the image was incomplete and accepted. Fraction is the share of its rows that were decoded,
	// from the top; it is 1 if the decoded part was undamaged. Warning is the text of the error.
	Damaged  bool
	Fraction float64
	Warning  string
}

// Decode decodes the still image with header h in data, and pushes the wanted rows.
//
// It borrows data and sink. When c's context ends, the call stops within a piece of the data: a sixteenth of a lossy
// image or 2 KiB, an eighth of a lossless one or 24 KiB, whichever is more. It makes one C call and no Go allocation.
//
// Errors are a *spool.Error of class truncated, corrupt, unsupported, too-large, canceled or timeout; or
// spool.ErrOptions, spool.ErrOutOfMemory; or spool.ErrShape if the image does not have the sink's size. After an error
// the content of the sink is unspecified. The report is also filled on error, as far as decoding came.
func Decode(c *call.Call, data []byte, h Header, o Options) (Report, error) {
	defer c.Part("libwebp: decode", c.Begin())
	if len(data) == 0 {
		return Report{}, empty("decode")
	}
	if h.Animated {
		return Report{}, &spool.Error{Op: "decode", Class: spool.ErrUnsupported,
			Text: "an animation cannot be decoded as a still image"}
	}
	if err := o.validate(h); err != nil {
		return Report{}, err
	}
	if err := o.bound(h); err != nil {
		return Report{}, err
	}
	options := o.c(h)
	var r C.spool_webp_report
	status := C.spool_webp_decode(bytesOf(data), C.size_t(len(data)), &options, (*C.spool_sink)(o.Sink),
		(*C.spool_planes)(o.Planes), (*C.int32_t)(c.Flag()), &r)
	report := Report{Rows: int(r.rows), Fraction: 1}
	if status == C.SPOOL_WEBP_OK {
		return report, nil
	}
	report.Fraction = float64(r.read) / float64(h.Height)
	err := failure(c, h, status, &r)
	if class := spool.ClassOf(err); o.Accept > 0 && report.Fraction >= o.Accept &&
		(class == spool.ErrTruncated || class == spool.ErrCorrupt) {
		report.Damaged, report.Warning = true, err.Error()
		return report, nil
	}
	return report, err
}

func (o *Options) c(h Header) C.spool_webp_options {
	options := C.spool_webp_options{width: C.int32_t(h.Width), height: C.int32_t(h.Height),
		channels: C.int32_t(max(o.Channels, 3))}
	if h.Lossless {
		options.lossless = 1
	}
	if h.truncated {
		options.truncated = 1
	}
	return options
}
