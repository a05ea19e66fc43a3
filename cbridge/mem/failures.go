package mem

/*
#include <stdint.h>

// Defined by count.h, in the library of a static build and in programs with package counted.
extern uint64_t spool_failed_allocations __attribute__((weak));

static uint64_t *failed_allocations(void) { return &spool_failed_allocations; }
*/
import "C"

import (
	"sync/atomic"
	"unsafe"
)

var failed = (*uint64)(unsafe.Pointer(C.failed_allocations())) // nil: nobody counts

// FailuresCount reports whether Failures counts: in programs that import package counted, and where the libraries are
// inside (build tag spool_static).
func FailuresCount() bool { return failed != nil }

// Failures returns how many allocations in C have failed since the process began, in all its threads. Some libraries
// hide failed allocations and give other pixels. So a result is valid only if this number is the same before and after.
func Failures() uint64 {
	if failed == nil {
		return 0
	}
	return atomic.LoadUint64(failed)
}
