// Package onearena is imported by commands, for its effect: the C library keeps one heap for all
// threads of the process, instead of up to 8 a core with memory of their own that they do not give back.
//
//	import _ "github.com/spoolmedia/spool/cbridge/mem/onearena"
//
// It has to be decided before the first thread, which Go starts before main: hence an import and not a
// function. A library should leave it to the program. What it costs is a lock that is held for tens of
// nanoseconds a few dozen times a picture; what it gains is that memory after a thousand pictures is
// that after a hundred thousand (bench/soak).
package onearena

/*
#include <malloc.h>

__attribute__((constructor)) static void one_arena(void) { mallopt(M_ARENA_MAX, 1); }
*/
import "C"
