package cuda

/*
#cgo noescape spool_cuda_memory
#cgo nocallback spool_cuda_memory
#cgo noescape spool_cuda_alloc
#cgo nocallback spool_cuda_alloc
#cgo noescape spool_cuda_free
#cgo nocallback spool_cuda_free
#include "bridge.h"
*/
import "C"

import (
	"sync/atomic"
	"unsafe"
)

// Context is a retained primary context of a device.
type Context struct {
	driver *Driver
	device C.CUdevice
	handle C.CUcontext
	closed atomic.Bool
}

// Pointer is an address in device memory, a CUdeviceptr.
type Pointer uint64

// Open retains the primary context of device n. The caller owns it and MUST Close it, after everything that was created
// in it. The first Open in a process initializes the device, which takes much longer than any other call.
func (d *Driver) Open(n int) (*Context, error) {
	if err := d.check(n); err != nil {
		return nil, err
	}
	c := &Context{driver: d}
	var f C.spool_cuda_failure
	if C.spool_cuda_retain(&d.entries, C.int(n), &c.device, &c.handle, &f) != C.CUDA_SUCCESS {
		return nil, failure("open", &f)
	}
	contexts.Add(1)
	return c, nil
}

// Close releases the context. The last release in the process destroys it. A second Close does nothing.
func (c *Context) Close() error {
	if c.closed.Swap(true) {
		return nil
	}
	contexts.Add(-1)
	var f C.spool_cuda_failure
	if C.spool_cuda_release(&c.driver.entries, c.device, &f) != C.CUDA_SUCCESS {
		return failure("close", &f)
	}
	return nil
}

// Memory returns the free and total bytes of the device's memory.
func (c *Context) Memory() (free, total int64, err error) {
	var freeBytes, allBytes C.size_t
	var f C.spool_cuda_failure
	if C.spool_cuda_memory(&c.driver.entries, c.handle, &freeBytes, &allBytes, &f) != C.CUDA_SUCCESS {
		return 0, 0, failure("memory", &f)
	}
	return int64(freeBytes), int64(allBytes), nil
}

// Alloc allocates n > 0 bytes of device memory, aligned to 256 bytes, with unspecified content. Like the driver's call,
// it waits for some of the device's work, so do not call it for each batch. If memory is exhausted, the error is
// spool.ErrOutOfMemory.
func (c *Context) Alloc(n int) (Pointer, error) {
	var p C.CUdeviceptr
	var f C.spool_cuda_failure
	if C.spool_cuda_alloc(&c.driver.entries, c.handle, C.size_t(n), &p, &f) != C.CUDA_SUCCESS {
		err := failure("allocate", &f)
		if f.done != 0 {
			_ = c.free(p)
		}
		return 0, err
	}
	blocks.Add(1)
	return Pointer(p), nil
}

// Free frees memory, which must no longer be in use.
func (c *Context) Free(p Pointer) error {
	blocks.Add(-1)
	return c.free(C.CUdeviceptr(p))
}

func (c *Context) free(p C.CUdeviceptr) error {
	var f C.spool_cuda_failure
	if C.spool_cuda_free(&c.driver.entries, c.handle, p, &f) != C.CUDA_SUCCESS {
		return failure("free", &f)
	}
	return nil
}

// Register page-locks host memory, so that the device accesses it directly. The garbage collector MUST NOT manage the
// memory. It stays registered, for all contexts, until Unregister. The system locks each page separately, so register
// only memory that is used many times.
func (c *Context) Register(memory []byte) error {
	var f C.spool_cuda_failure
	at := unsafe.Pointer(unsafe.SliceData(memory))
	if C.spool_cuda_register(&c.driver.entries, c.handle, at, C.size_t(len(memory)), &f) != C.CUDA_SUCCESS {
		err := failure("register", &f)
		if f.done != 0 {
			_ = c.unregister(memory)
		}
		return err
	}
	registered.Add(int64(len(memory)))
	return nil
}

// Unregister unlocks memory that Register locked.
func (c *Context) Unregister(memory []byte) error {
	registered.Add(-int64(len(memory)))
	return c.unregister(memory)
}

func (c *Context) unregister(memory []byte) error {
	var f C.spool_cuda_failure
	if C.spool_cuda_unregister(&c.driver.entries, c.handle, unsafe.Pointer(unsafe.SliceData(memory)),
		&f) != C.CUDA_SUCCESS {
		return failure("unregister", &f)
	}
	return nil
}
