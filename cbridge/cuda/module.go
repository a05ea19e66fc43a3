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

// Module is code in a context, a CUmodule.
type Module uintptr

// Function is a kernel of a module, a CUfunction, valid as long as that.
type Function uintptr

// Grid is how many blocks of how many threads a kernel runs in: Width up to 2^31-1, Height up to 65535, and Threads
// as many as the kernel was compiled for.
type Grid struct{ Width, Height, Threads uint32 }

// LoadModule compiles PTX for the device. The first time that takes the driver a while, later it has the result in a
// cache of its own. What its compiler says of an error is in the error's text.
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

// CloseModule unloads code that does not run any more.
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

// Function finds a kernel by the name it has in PTX.
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

// Launch queues a kernel. Parameters are laid out as the kernel declares them, size bytes, and are copied; they hold no Go
// pointers.
func (c *Context) Launch(fn Function, g Grid, s Stream, parameters unsafe.Pointer, size uintptr) error {
	var f C.spool_cuda_failure
	if C.spool_cuda_launch(&c.driver.entries, c.handle, C.uintptr_t(fn), C.uint(g.Width), C.uint(g.Height), C.uint(g.Threads),
		C.uintptr_t(s), parameters, C.size_t(size), &f) != C.CUDA_SUCCESS {
		return failure("launch", &f)
	}
	return nil
}
