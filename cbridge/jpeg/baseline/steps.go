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

// Step is a step of decoding that can be measured separately.
type Step uint8

const (
	Unstuff  Step = C.SPOOL_BASELINE_UNSTUFF  // coded data to unstuffed data
	Entropy  Step = C.SPOOL_BASELINE_ENTROPY  // the same, and coefficients
	Samples  Step = C.SPOOL_BASELINE_SAMPLES  // the same, and the samples of all planes
	Upsample Step = C.SPOOL_BASELINE_UPSAMPLE // only: rows of chroma to luma's size
	Convert  Step = C.SPOOL_BASELINE_CONVERT  // only: rows of RGB
)

// Run runs a step over an image, for measurements. memory is scratch: 3 bytes a pixel, unless the image is tiny. The
// Reason is Decoded if the image is in scope and has such a step. The error is spool.ErrShape if memory is too small,
// or spool.ErrOutOfMemory.
func (e *Engine) Run(step Step, data, memory []byte) (Reason, error) {
	d, err := e.acquire()
	if err != nil {
		return Decoded, err
	}
	defer e.release(d)
	for {
		status := C.spool_baseline_step(d.c, bytesOf(data), C.size_t(len(data)), C.int(step), bytesOf(memory),
			C.size_t(len(memory)))
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
