package baseline

// #include "baseline.h"
import "C"

// SIMD returns the instruction set that the engine uses on this machine: "avx512", "avx512vl", "avx2", "sse4.1",
// "neon", or "scalar" for none.
func SIMD() string { return levelName(best) }

func levelName(level int) string { return C.GoString(C.spool_baseline_level_name(C.int(level))) }
