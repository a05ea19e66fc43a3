package vips

/*
#cgo CFLAGS: -O3 -Wall -Wextra -Werror -I${SRCDIR}/../kernel -I${SRCDIR}/../call
#cgo pkg-config: vips
#cgo LDFLAGS: -lm
#include <vips/vips.h>
#include "load.h"
*/
import "C"

import (
	"fmt"
	"sync"

	"github.com/spoolmedia/spool"
)

// start brings libvips up on first use: it loads its modules from disk, about 15 ms that a program which
// never meets these formats does not pay. There is no stop; libvips cannot be started twice.
var start = sync.OnceValue(func() error {
	if C.spool_vips_start() != 0 {
		return fmt.Errorf("%w: libvips does not start", spool.ErrInternal)
	}
	return nil
})

// Version is the libvips that this process runs with, "8.14.1".
func Version() string {
	return C.GoString(C.vips_version_string())
}

// Reads reports whether this libvips has a loader for the format. Some come in modules of their own,
// which a distribution may package apart.
func Reads(f Format) bool {
	return f < formats && start() == nil && C.spool_vips_reads(C.int(f)) != 0
}

// InUse is the number of bytes that libvips holds for pixels; those that codecs allocate themselves are
// not in it. It is zero when no call is at work.
func InUse() int64 {
	return int64(C.vips_tracked_get_mem())
}
