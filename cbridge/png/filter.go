package png

// #include "filter.h"
import "C"

// SIMD returns the instruction set that the filters use on this machine: "sse4.1", "neon", or "scalar" for none.
func SIMD() string { return levelName(levels() - 1) }

func levels() int { return int(C.spool_png_filter_levels()) }

func levelName(level int) string { return C.GoString(C.spool_png_filter_name(C.int(level))) }

// Slack is the number of bytes that Unfilter may read before the row above the first one, and after the last row.
const Slack = C.SPOOL_PNG_SLACK

// Unfilter reverts the filters of n rows of PNG in place, with the fastest code for this machine. A row has `bytes`
// bytes and is preceded by the byte of its filter, 0 to 4. The first row is at rows[at], stride bytes after the row
// above it. distance is the size of a pixel, at least 1.
func Unfilter(rows []byte, at, stride, n, bytes, distance int) {
	unfilter(levels()-1, rows, at, stride, n, bytes, distance)
}

// unfilter reverts the filters with the code of a level.
func unfilter(level int, rows []byte, at, stride, n, bytes, distance int) {
	C.spool_png_unfilter_at(C.int(level), bytesOf(rows[at:]), C.size_t(stride), C.int(n), C.size_t(bytes), C.int(distance))
}
