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

// start starts libvips on first use. It loads its modules from disk, which takes about 15 ms. Programs that never use
// these formats avoid this cost. libvips is never stopped, because it cannot be started twice.
var start = sync.OnceValue(func() error {
	if C.spool_vips_start() != 0 {
		return fmt.Errorf("%w: libvips does not start", spool.ErrInternal)
	}
	return nil
})

// Version returns the version of the libvips that this process uses, such as "8.14.1".
func Version() string {
	return C.GoString(C.vips_version_string())
}

// Reads reports whether this libvips has a loader for the format. Some loaders are in modules that a distribution may
// package separately.
func Reads(f Format) bool {
	return f < formats && start() == nil && C.spool_vips_reads(C.int(f)) != 0
}

// InUse returns the number of bytes that libvips holds for pixels, without memory that codecs allocate themselves. It
// is zero when no call is running.
func InUse() int64 {
	return int64(C.vips_tracked_get_mem())
}
