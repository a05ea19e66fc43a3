package png

// #include "filter.h"
import "C"

// SIMD names the instruction set that the filters use on this machine: "sse4.1", "neon", or "scalar" for
// none.
func SIMD() string { return levelName(levels() - 1) }

func levels() int { return int(C.spool_png_filter_levels()) }

func levelName(level int) string { return C.GoString(C.spool_png_filter_name(C.int(level))) }

// Slack is how many bytes Unfilter may read before the row above the first one, and behind the last.
const Slack = C.SPOOL_PNG_SLACK

// Unfilter undoes the filters of n rows of PNG in place, by the fastest code that this machine runs. A row is `bytes` long
// and follows the byte that names its filter, one of the five; the first one is at rows[at], stride bytes behind the row
// above it. Distance is the size of a pixel, at least 1.
func Unfilter(rows []byte, at, stride, n, bytes, distance int) {
	unfilter(levels()-1, rows, at, stride, n, bytes, distance)
}

// unfilter undoes the filters by the code of a level.
func unfilter(level int, rows []byte, at, stride, n, bytes, distance int) {
	C.spool_png_unfilter_at(C.int(level), bytesOf(rows[at:]), C.size_t(stride), C.int(n), C.size_t(bytes), C.int(distance))
}
