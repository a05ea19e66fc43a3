package resample

// #include "cancel.h"
import "C"

import (
	"fmt"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/internal/invalid"
)

// maxRate is the highest rate: 2^31 - 1 samples a second.
const maxRate = 1<<31 - 1

// validate returns all problems of a filter's parameters, joined.
func validate(in, out int, q Quality) error {
	var bad invalid.Options
	for _, rate := range []int{in, out} {
		if rate < 1 || rate > maxRate {
			bad.Addf("resample: a rate of %d Hz", rate)
		}
	}
	if q >= qualities {
		bad.Addf("resample: quality %d", q)
	}
	return bad.Err()
}

// ended returns the error for the status of a C call.
func ended(c *call.Call, status C.int) error {
	switch status {
	case 0:
		return nil
	case C.SPOOL_CANCELLED:
		err := c.Err()
		return &spool.Error{Op: "resample", Class: spool.ClassOf(err), Err: err}
	}
	return fmt.Errorf("%w: resample: status %d", spool.ErrInternal, status)
}
