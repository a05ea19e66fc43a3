package floor

/*
#include <stdlib.h>
#include "floor.h"
*/
import "C"

import (
	"unsafe"

	"github.com/spoolmedia/spool/cbridge/png"
)

const libpng, libdeflate = "libpng", "libdeflate"

// PNG decodes with libpng, with the same calls as torchvision. dst receives the whole image, 8-bit RGB, rows without
// gaps.
func PNG(data, dst []byte) error {
	return answer(libpng, C.spool_floor_png(bytesOf(data), C.size_t(len(data)), bytesOf(dst), C.size_t(len(dst))))
}

// PNGInflate concatenates the IDAT chunks and inflates them with libdeflate, and does nothing else.
func PNGInflate(data []byte) error {
	var rows C.spool_floor_rows
	defer func() { C.free(unsafe.Pointer(rows.memory)) }()
	return inflate(data, &rows)
}

// PNGUnfilter is PNGInflate, followed by the lane's kernels that undo the filters.
func PNGUnfilter(data []byte) error {
	var rows C.spool_floor_rows
	defer func() { C.free(unsafe.Pointer(rows.memory)) }()
	if err := inflate(data, &rows); err != nil {
		return err
	}
	first, stride, height := int(rows.first), int(rows.stride), int(rows.height)
	memory := unsafe.Slice((*byte)(rows.memory), int(rows.size))
	for y := range height {
		if memory[first+y*stride-1] > 4 { // the largest filter type
			return answer(libdeflate, 1)
		}
	}
	png.Unfilter(memory, first, stride, height, stride-1, int(rows.distance))
	return nil
}

func inflate(data []byte, rows *C.spool_floor_rows) error {
	return answer(libdeflate, C.spool_floor_png_inflate(bytesOf(data), C.size_t(len(data)), png.Slack, rows))
}

// EncodePNG encodes an 8-bit RGB image with libpng's simplified interface, which has default filters. The zlib level is
// its default, or the fastest. It returns the size of the file.
func EncodePNG(rgb []byte, width, height int, fast bool) (int, error) {
	flag := C.int(0)
	if fast {
		flag = 1
	}
	size := C.spool_floor_png_encode(bytesOf(rgb), C.int32_t(width), C.int32_t(height), flag)
	if size == 0 {
		return 0, answer(libpng, 1)
	}
	return int(size), nil
}
