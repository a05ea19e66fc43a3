package baseline

/*
#cgo noescape spool_baseline_step
#cgo nocallback spool_baseline_step
#include "steps.h"
*/
import "C"

import (
	"fmt"

	"github.com/spoolmedia/spool"
)

// Step is a part of the work, to be measured by itself.
type Step uint8

const (
	Unstuff  Step = C.SPOOL_BASELINE_UNSTUFF  // coded data without stuffed bytes
	Entropy  Step = C.SPOOL_BASELINE_ENTROPY  // that, and coefficients
	Samples  Step = C.SPOOL_BASELINE_SAMPLES  // that, and the samples of all planes
	Upsample Step = C.SPOOL_BASELINE_UPSAMPLE // alone: rows of chroma to luma's size
	Convert  Step = C.SPOOL_BASELINE_CONVERT  // alone: rows of RGB
)

// Run runs a step over a picture for measurements; memory, 3 bytes a pixel of a picture that is not tiny, is scratch. The
// Reason is Decoded where the picture has such a step and is in scope. The error is spool.ErrShape for too
// little memory, or spool.ErrOutOfMemory.
func (e *Engine) Run(step Step, data, memory []byte) (Reason, error) {
	d, err := e.take()
	if err != nil {
		return Decoded, err
	}
	defer e.give(d)
	for {
		status := C.spool_baseline_step(d.c, bytesOf(data), C.size_t(len(data)), C.int(step), bytesOf(memory), C.size_t(len(memory)))
		switch status {
		case C.SPOOL_BASELINE_SCAN_MEMORY:
			if err := d.extend(); err != nil {
				return Decoded, err
			}
		case C.SPOOL_BASELINE_SHAPE:
			return Decoded, fmt.Errorf("%w: jpeg: too little memory for step %d", spool.ErrShape, step)
		default:
			return Reason(status), nil
		}
	}
}
