package cuda

import "unsafe"

// Handle returns the driver's handle, a CUcontext, for other libraries. It is valid until Close.
func (c *Context) Handle() uintptr { return uintptr(unsafe.Pointer(c.handle)) }
