package cuda

import "unsafe"

// Handle is the context as the driver has it, a CUcontext, for other libraries. It is valid until Close.
func (c *Context) Handle() uintptr { return uintptr(unsafe.Pointer(c.handle)) }
