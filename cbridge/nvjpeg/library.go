package nvjpeg

/*
#cgo CFLAGS: -O3 -Wall -Wextra -Werror
#cgo LDFLAGS: -ldl
#include <stdlib.h>
#include "bridge.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"strings"
	"unsafe"

	"github.com/spoolmedia/spool"
)

// Library is a loaded nvJPEG. It has no Close: it stays loaded for the life of the process.
type Library struct {
	entries C.spool_nvjpeg
	version [3]C.int
}

// names are the releases whose headers api.h was compared with, newest first.
var names = []string{"libnvjpeg.so.13", "libnvjpeg.so.12", "libnvjpeg.so.11"}

// Load loads the library from a file by the rules of dlopen. "" means the newest of CUDA 11 to 13 on the system. Load
// needs neither a device nor a driver.
func Load(file string) (*Library, error) {
	if file != "" {
		return load(file)
	}
	var all []error
	for _, name := range names {
		l, err := load(name)
		if err == nil {
			return l, nil
		}
		all = append(all, err)
	}
	e := &spool.Error{Op: "load", Class: spool.ErrDevice, Lib: library, Text: "none of " + strings.Join(names, ", "),
		Err: errors.Join(all...)}
	return nil, e
}

func load(file string) (*Library, error) {
	if strings.ContainsRune(file, 0) {
		return nil, fmt.Errorf("%w: nvjpeg: library %q", spool.ErrOptions, file)
	}
	name := C.CString(file)
	defer C.free(unsafe.Pointer(name))
	var l Library
	var f C.spool_nvjpeg_failure
	if C.spool_nvjpeg_load(&l.entries, name, &l.version[0], &f) != 0 {
		return nil, failure("load", &f)
	}
	return &l, nil
}

// Version returns the library's version, "12.4.0" for example.
func (l *Library) Version() string {
	return fmt.Sprintf("%d.%d.%d", l.version[0], l.version[1], l.version[2])
}

// atLeast reports whether the library has a version or a later one.
func (l *Library) atLeast(major, minor C.int) bool {
	return l.version[0] > major || l.version[0] == major && l.version[1] >= minor
}
