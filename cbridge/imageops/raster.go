package imageops

// #cgo CFLAGS: -I${SRCDIR}/../resample -O3 -g1 -Wall -Wextra -Werror
// #cgo LDFLAGS: -lm
// #include "ops.h"
import "C"

import (
	"fmt"
	"unsafe"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/augment"
)

// Raster is an image of Width x Height pixels of 1 or 3 channels, interleaved, without gaps between rows.
type Raster struct {
	Pixels                  []byte
	Width, Height, Channels int
}

// best is the fastest instruction set of this machine.
var best = int(C.spool_ops_levels()) - 1

// alignment of scratch memory.
const alignment = 64

// ScratchBytes returns the size of the scratch memory for steps on images of a size. It is at most that of the image,
// or a few rows of floats.
func ScratchBytes(steps []augment.Step, width, height, channels int) int {
	most := 0
	for i := range steps {
		s := forC(steps[i])
		n := C.spool_step_scratch(&s, C.int32_t(width), C.int32_t(height), C.int32_t(channels))
		most = max(most, int(n))
	}
	if most > 0 {
		most += alignment
	}
	return most
}

// Apply applies steps in order.
//
//	Ownership: pixels and scratch, of ScratchBytes, are used during the call.
//	Errors:    spool.ErrShape for pixels of another size, or too little scratch.
//	Cost:      one C call, and up to some milliseconds for each step and megapixel.
func (r Raster) Apply(steps []augment.Step, scratch []byte) error {
	return r.apply(steps, scratch, best)
}

func (r Raster) apply(steps []augment.Step, scratch []byte, level int) error {
	if r.Channels != 1 && r.Channels != 3 || len(r.Pixels) == 0 || len(r.Pixels) != r.Width*r.Height*r.Channels {
		return fmt.Errorf("%w: imageops: %d bytes for %dx%d pixels of %d channels", spool.ErrShape, len(r.Pixels), r.Width,
			r.Height, r.Channels)
	}
	if need := ScratchBytes(steps, r.Width, r.Height, r.Channels); len(scratch) < need {
		return fmt.Errorf("%w: imageops: scratch of %d bytes, %d needed", spool.ErrShape, len(scratch), need)
	}
	if len(steps) == 0 {
		return nil
	}
	if len(scratch) > 0 {
		scratch = scratch[-uintptr(unsafe.Pointer(unsafe.SliceData(scratch)))%alignment:]
	}
	all := make([]C.spool_step, len(steps))
	for i, s := range steps {
		if s.Kind == augment.StepErase && !r.holds(s.Box) {
			return fmt.Errorf("%w: imageops: box %v in %dx%d", spool.ErrShape, s.Box, r.Width, r.Height)
		}
		all[i] = forC(s)
	}
	C.spool_ops_run(&all[0], C.int32_t(len(all)), bytesOf(r.Pixels), C.int32_t(r.Width), C.int32_t(r.Height),
		C.int32_t(r.Channels), bytesOf(scratch), C.int(level))
	return nil
}

// holds reports whether a box is within the image.
func (r Raster) holds(box [4]int) bool {
	return min(box[0], box[1], box[2], box[3]) >= 0 && box[0] <= r.Width-box[2] && box[1] <= r.Height-box[3]
}

func bytesOf(b []byte) *C.uint8_t { return (*C.uint8_t)(unsafe.SliceData(b)) }

// forC returns the step for C.
func forC(s augment.Step) C.spool_step {
	c := C.spool_step{kind: C.int32_t(s.Kind), size: C.int32_t(s.Size), value: C.double(s.Value),
		seed: C.uint64_t(s.Seed)}
	for i, v := range s.Matrix {
		c.matrix[i] = C.double(v)
	}
	for i, v := range s.Box {
		c.box[i] = C.int32_t(v)
	}
	for i, v := range s.Color {
		c.color[i], c.noise[i] = C.uint8_t(v), C.uint8_t(s.Noise[i])
	}
	return c
}
