package cuda

/*
#cgo noescape spool_cuda_module
#cgo nocallback spool_cuda_module
#cgo noescape spool_cuda_function
#cgo nocallback spool_cuda_function
#cgo noescape spool_cuda_launch
#cgo nocallback spool_cuda_launch
#include <stdlib.h>
#include "bridge.h"
*/
import "C"

import "unsafe"

// Module is code loaded into a context, a CUmodule.
type Module uintptr

// Function is a kernel of a module, a CUfunction. It is valid as long as the module.
type Function uintptr

// Grid is the number of blocks and the threads per block of a launch. Width is at most 2^31-1 and Height at most 65535.
// Threads is the number that the kernel was compiled for.
type Grid struct{ Width, Height, Threads uint32 }

// LoadModule compiles PTX for the device. The first compilation takes a while; later the driver uses its cache. The
// error text has the compiler's message.
func (c *Context) LoadModule(ptx string) (Module, error) {
	text := C.CString(ptx)
	defer C.free(unsafe.Pointer(text))
	var out C.uintptr_t
	var f C.spool_cuda_failure
	if C.spool_cuda_module(&c.driver.entries, c.handle, text, &out, &f) != C.CUDA_SUCCESS {
		err := failure("load kernels", &f)
		if f.done != 0 {
			_ = c.closeModule(out)
		}
		return 0, err
	}
	modules.Add(1)
	return Module(out), nil
}

// CloseModule unloads code. Its kernels must have finished.
func (c *Context) CloseModule(m Module) error {
	modules.Add(-1)
	return c.closeModule(C.uintptr_t(m))
}

func (c *Context) closeModule(m C.uintptr_t) error {
	var f C.spool_cuda_failure
	if C.spool_cuda_close_module(&c.driver.entries, c.handle, m, &f) != C.CUDA_SUCCESS {
		return failure("close kernels", &f)
	}
	return nil
}

// Function returns the kernel of a name, as in the PTX.
func (c *Context) Function(m Module, name string) (Function, error) {
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	var out C.uintptr_t
	var f C.spool_cuda_failure
	if C.spool_cuda_function(&c.driver.entries, c.handle, C.uintptr_t(m), text, &out, &f) != C.CUDA_SUCCESS {
		return 0, failure("find kernel "+name, &f)
	}
	return Function(out), nil
}

// Launch queues a kernel. parameters has the layout that the kernel declares and size bytes, and is copied. It must not
// contain Go pointers.
func (c *Context) Launch(fn Function, g Grid, s Stream, parameters unsafe.Pointer, size uintptr) error {
	var f C.spool_cuda_failure
	if C.spool_cuda_launch(&c.driver.entries, c.handle, C.uintptr_t(fn), C.uint(g.Width), C.uint(g.Height),
		C.uint(g.Threads),
		C.uintptr_t(s), parameters, C.size_t(size), &f) != C.CUDA_SUCCESS {
		return failure("launch", &f)
	}
	return nil
}
