// Package heaps makes the C library use few heaps for all threads of the process: one for each processor, and at most
// four. Commands import it for its side effect:
//
//	import _ "github.com/spoolmedia/spool/cbridge/mem/heaps"
//
// By default glibc creates up to 8 heaps per core, which keep their free memory. With one heap, threads wait for its
// lock: FFmpeg's MP3 demuxer allocates packets of 1088 bytes, just above the 1032 that glibc caches for each thread.
// decision 58 has the measurements. Memory is returned to the system in large pieces only.
//
// The setting must be made before the first thread starts, and Go starts threads before main. Hence an import instead
// of a function. A library should leave the choice to the program, and so does the helper beside it, which has one task
// at a time.
//
// Blocks of less than 32 MiB come from a heap, and up to 64 MiB of free memory at its end stay there. These are the
// largest values that glibc allows. By default it raises its thresholds to them only after it has freed a block of that
// size. Until then, the kernel maps a decoder's working memory anew for every image. For a PNG of 500x375 that is 80
// page faults, or 7 % of its time.
//
// The package is for this module only and makes no compatibility promise.
package heaps

/*
#define _GNU_SOURCE
#include <malloc.h>
#include <sched.h>

#define MOST 4

__attribute__((constructor)) static void set_heaps(void)
{
    cpu_set_t processors;
    int heaps = MOST;

    if (sched_getaffinity(0, sizeof processors, &processors) == 0 && CPU_COUNT(&processors) < MOST)
        heaps = CPU_COUNT(&processors);
    mallopt(M_ARENA_MAX, heaps);
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 64 << 20);
}
*/
import "C"
