package av

import (
	"unsafe"

	"github.com/asticode/go-astiav"
)

// go-astiav cannot create an object from a C pointer, and cannot return the pointer of an object. These functions do,
// and rely on go-astiav's objects being structs that start with that pointer. A test checks it.

type wrapped interface {
	astiav.FormatContext | astiav.Packet | astiav.CodecContext | astiav.CodecParameters | astiav.Dictionary
}

// wrap returns go-astiav's object for a C pointer.
func wrap[T wrapped](c unsafe.Pointer) *T {
	object := new(T)
	*(*unsafe.Pointer)(unsafe.Pointer(object)) = c
	return object
}

// pointer returns the C pointer of go-astiav's object.
func pointer[T wrapped](object *T) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(object)) }
