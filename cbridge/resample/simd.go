package resample

// #include "kernels.h"
import "C"

// best is the kernel level in use: the fastest instruction set that both the build and the machine support. Level 0 is
// plain C.
var best = int(C.spool_resample_levels()) - 1

// SIMD returns the instruction set in use on this machine: "avx2", "sse4.1", "neon", or "scalar" for none. All give the
// same samples.
func SIMD() string { return levelName(best) }

func levelName(level int) string { return C.GoString(C.spool_resample_kernels_at(C.int(level)).name) }
