package mem

// #include <malloc.h>
import "C"

// LimitArenas bounds how many heaps the C library keeps side by side for its threads, each with
// memory of its own that it does not give back; by default 8 a core. It is for programs to call before
// anything else: it concerns the whole process, and a library should leave it alone.
func LimitArenas(n int) { C.mallopt(C.M_ARENA_MAX, C.int(n)) }
