package av

import (
	"unsafe"

	"github.com/asticode/go-astiav"
)

// go-astiav has no way to make an object of a pointer that C gave, or to get at the pointer of one. Both
// rely on its objects being structs that begin with that pointer; a test watches over it.

type wrapped interface {
	astiav.FormatContext | astiav.Packet | astiav.CodecContext | astiav.CodecParameters | astiav.Dictionary
}

// wrap is go-astiav's object of what C gave.
func wrap[T wrapped](c unsafe.Pointer) *T {
	object := new(T)
	*(*unsafe.Pointer)(unsafe.Pointer(object)) = c
	return object
}

// pointer is what is behind go-astiav's object.
func pointer[T wrapped](object *T) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(object)) }
