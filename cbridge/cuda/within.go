package cuda

/*
#cgo noescape spool_cuda_push
#cgo nocallback spool_cuda_push
#cgo noescape spool_cuda_pop
#cgo nocallback spool_cuda_pop
#include "bridge.h"
*/
import "C"

import "runtime"

// Within calls do with the context current on the calling thread, for libraries that use the current context.
// Afterwards it restores the previous context. An error of do takes precedence over an error of the driver. If the
// context cannot be pushed, do is not called.
func (c *Context) Within(do func() error) (err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var f C.spool_cuda_failure
	if C.spool_cuda_push(&c.driver.entries, c.handle, &f) != C.CUDA_SUCCESS {
		return failure("enter context", &f)
	}
	defer func() {
		if C.spool_cuda_pop(&c.driver.entries, &f) != C.CUDA_SUCCESS && err == nil {
			err = failure("leave context", &f)
		}
	}()
	return do()
}
