package av

import (
	"unsafe"

	"github.com/asticode/go-astiav"
)

// wrapFormatContext is go-astiav's object of an AVFormatContext that was opened elsewhere, which it has
// no function for. It relies on the object being a struct of that one pointer; a test watches over it.
func wrapFormatContext(c unsafe.Pointer) *astiav.FormatContext {
	fc := new(astiav.FormatContext)
	*(*unsafe.Pointer)(unsafe.Pointer(fc)) = c
	return fc
}
