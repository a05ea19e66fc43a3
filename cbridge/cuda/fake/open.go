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

// Open takes the driver in a file as it is: one that the process was linked with, under the name that it has there.
func Open(file string) (*Driver, error) {
	d := &Driver{File: file}
	name := C.CString(file)
	defer C.free(unsafe.Pointer(name))
	if C.fake_load(&d.library, name) != 0 {
		return nil, fmt.Errorf("%s cannot be loaded, or is no fake driver", file)
	}
	return d, nil
}
