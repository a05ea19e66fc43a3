package device

/*
#cgo CFLAGS: -O3 -Wall -Wextra -Werror -I${SRCDIR}/../../cuda
#cgo LDFLAGS: -ldl
#cgo noescape spool_floor_copies
#cgo nocallback spool_floor_copies
#cgo noescape spool_floor_duplicates
#cgo nocallback spool_floor_duplicates
#include <stdlib.h>
#include "copies.h"
*/
import "C"

import (
	"cmp"
	"fmt"
	"unsafe"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/cuda"
)

// Driver has the driver functions for copies. Like cuda.Driver, it needs no Close.
type Driver struct{ entries C.spool_floor_driver }

// Load loads the driver from a file, as cuda.Load does.
func Load(file string) (*Driver, error) {
	name := C.CString(cmp.Or(file, "libcuda.so.1"))
	defer C.free(unsafe.Pointer(name))
	var d Driver
	if C.spool_floor_load(&d.entries, name) != 0 {
		return nil, &spool.Error{Op: "load", Class: spool.ErrDevice, Lib: "libcuda", Text: "no driver, or an old one"}
	}
	return &d, nil
}

// Copies queues `times` copies to the device, or back, in a context of this driver, and waits for them. memory consists
// of batches of one size, which are copied in turn.
func (d *Driver) Copies(c *cuda.Context, p cuda.Pointer, memory []byte, batches int, back bool, times int,
	s cuda.Stream) error {
	direction := C.int(0)
	if back {
		direction = 1
	}
	at := unsafe.Pointer(unsafe.SliceData(memory))
	if code := C.spool_floor_copies(&d.entries, C.uintptr_t(c.Handle()), C.CUdeviceptr(p), at,
		C.size_t(len(memory)/batches), C.int(batches), direction, C.int(times), C.uintptr_t(s)); code != C.CUDA_SUCCESS {
		return fmt.Errorf("%w: copy: %w", spool.ErrDevice, cuda.Code(code))
	}
	return nil
}

// Duplicates queues `times` copies of n bytes within the device's memory, and waits for them.
func (d *Driver) Duplicates(c *cuda.Context, to, from cuda.Pointer, n, times int, s cuda.Stream) error {
	if code := C.spool_floor_duplicates(&d.entries, C.uintptr_t(c.Handle()), C.CUdeviceptr(to), C.CUdeviceptr(from),
		C.size_t(n), C.int(times), C.uintptr_t(s)); code != C.CUDA_SUCCESS {
		return fmt.Errorf("%w: copy: %w", spool.ErrDevice, cuda.Code(code))
	}
	return nil
}
