// Package onearena makes the C library use one heap for all threads of the process. Commands import it for its side
// effect:
//
//	import _ "github.com/spoolmedia/spool/cbridge/mem/onearena"
//
// By default glibc creates up to 8 heaps per core, which keep their free memory. With this package there is one heap,
// and memory is returned to the system in large pieces only.
//
// The setting must be made before the first thread starts, and Go starts threads before main. Hence an import instead
// of a function. A library should leave the choice to the program. The cost is a lock, held for tens of nanoseconds a
// few dozen times per image. The benefit is stable memory use: after a hundred thousand images the process uses as much
// as after a thousand (bench/soak).
//
// Blocks of less than 32 MiB come from the heap, and up to 64 MiB of free memory at its end stay there. These are the
// largest values that glibc allows. By default it raises its thresholds to them only after it has freed a block of that
// size. Until then, the kernel maps a decoder's working memory anew for every image. For a PNG of 500x375 that is 80
// page faults, or 7 % of its time.
//
// The package is for this module only and makes no compatibility promise.
package onearena

/*
#include <malloc.h>

__attribute__((constructor)) static void one_arena(void)
{
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 64 << 20);
}
*/
import "C"
