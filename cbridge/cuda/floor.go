package cuda

/*
#cgo noescape spool_cuda_floor
#cgo nocallback spool_cuda_floor
#include "bridge.h"
*/
import "C"

import "unsafe"

// FloorCopies queues so many copies of memory to the device, or back, with nothing around them, and waits: the floor that
// benchmarks measure copies of batches by.
func (c *Context) FloorCopies(p Pointer, memory []byte, back bool, times int, s Stream) error {
	var f C.spool_cuda_failure
	direction := C.int(0)
	if back {
		direction = 1
	}
	at := unsafe.Pointer(unsafe.SliceData(memory))
	if C.spool_cuda_floor(&c.driver.entries, c.handle, C.CUdeviceptr(p), at, C.size_t(len(memory)), direction, C.int(times),
		C.uintptr_t(s), &f) != C.CUDA_SUCCESS {
		return failure("copy", &f)
	}
	return nil
}
