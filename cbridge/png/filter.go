package png

// #include "filter.h"
import "C"

// SIMD names the instruction set that the filters use on this machine: "sse4.1", "neon", or "scalar" for
// none.
func SIMD() string { return levelName(levels() - 1) }

func levels() int { return int(C.spool_png_filter_levels()) }

func levelName(level int) string { return C.GoString(C.spool_png_filter_name(C.int(level))) }

// unfilter undoes the filters of n rows; see filter.h. The rows begin at rows[at].
func unfilter(level int, rows []byte, at, stride, n, bytes, distance int) {
	C.spool_png_unfilter_at(C.int(level), bytesOf(rows[at:]), C.size_t(stride), C.int(n), C.size_t(bytes), C.int(distance))
}
