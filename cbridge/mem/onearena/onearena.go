// Package onearena is imported by commands, for its effect: the C library keeps one heap for all
// threads of the process, instead of up to 8 a core with memory of their own that they do not give back,
// and gives memory back to the system in large pieces only.
//
//	import _ "github.com/spoolmedia/spool/cbridge/mem/onearena"
//
// It has to be decided before the first thread, which Go starts before main: hence an import and not a
// function. A library should leave it to the program. What it costs is a lock that is held for tens of
// nanoseconds a few dozen times a picture; what it gains is that memory after a thousand pictures is
// that after a hundred thousand (bench/soak).
//
// Blocks of less than 32 MiB come from the heap, and up to 64 MiB free at its end stay there: where glibc
// arrives by itself once it has seen such a block, and the most that it allows. Until then a decoder's
// working memory is new to the kernel with every picture: 80 page faults for a PNG of 500x375, or 7 %
// of its time.
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
