package fake

/*
#include <stdlib.h>
#include "control.h"
*/
import "C"

import (
	"fmt"
	"unsafe"
)

// Open opens a driver that is already loaded, for example one that the process was linked with, by its file name.
func Open(file string) (*Driver, error) {
	d := &Driver{File: file}
	name := C.CString(file)
	defer C.free(unsafe.Pointer(name))
	if C.fake_load(&d.library, name) != 0 {
		return nil, fmt.Errorf("%s cannot be loaded, or is not a simulated driver", file)
	}
	return d, nil
}
