package kernel

// #include "kernels.h"
import "C"

// best is the kernel level of sinks: the fastest instruction set that both the build and the machine support. Level 0
// is plain C.
var best = int(C.spool_kernels_levels()) - 1

// SIMD returns the instruction set that the kernels use on this machine: "avx512-vnni", "avx2", "sse4.1", "neon", or
// "scalar" for none.
func SIMD() string { return levelName(best) }

func levelName(level int) string { return C.GoString(C.spool_kernels_at(C.int(level)).name) }
