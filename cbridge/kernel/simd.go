package kernel

// #include "kernels.h"
import "C"

// best is the level of the kernels that sinks use: the fastest instructions that this build knows and this
// machine has. Level 0 is plain C.
var best = int(C.spool_kernels_levels()) - 1

// SIMD names the instruction set that the kernels use on this machine: "avx512-vnni", "avx2", "sse4.1", "neon", or
// "scalar" for none.
func SIMD() string { return levelName(best) }

func levelName(level int) string { return C.GoString(C.spool_kernels_at(C.int(level)).name) }
