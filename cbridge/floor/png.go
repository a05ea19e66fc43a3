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

// PNG decodes with libpng, making the calls that torchvision makes. Dst takes the whole picture, RGB of 8 bits, rows
// without gaps.
func PNG(data, dst []byte) error {
	return answer(libpng, C.spool_floor_png(bytesOf(data), C.size_t(len(data)), bytesOf(dst), C.size_t(len(dst))))
}

// PNGInflate gathers the chunks of pixels and inflates them with libdeflate, and nothing else.
func PNGInflate(data []byte) error {
	var rows C.spool_floor_rows
	defer func() { C.free(unsafe.Pointer(rows.memory)) }()
	return inflate(data, &rows)
}

// PNGUnfilter is PNGInflate, and has the lane's kernels undo the filters of what was inflated.
func PNGUnfilter(data []byte) error {
	var rows C.spool_floor_rows
	defer func() { C.free(unsafe.Pointer(rows.memory)) }()
	if err := inflate(data, &rows); err != nil {
		return err
	}
	first, stride, height := int(rows.first), int(rows.stride), int(rows.height)
	memory := unsafe.Slice((*byte)(rows.memory), int(rows.size))
	for y := range height {
		if memory[first+y*stride-1] > 4 { // the filters there are
			return answer(libdeflate, 1)
		}
	}
	png.Unfilter(memory, first, stride, height, stride-1, int(rows.distance))
	return nil
}

func inflate(data []byte, rows *C.spool_floor_rows) error {
	return answer(libdeflate, C.spool_floor_png_inflate(bytesOf(data), C.size_t(len(data)), png.Slack, rows))
}

// EncodePNG makes a file of an RGB picture of 8 bits with libpng's simplified interface: its filters, and the level of
// zlib that it takes by itself, or the fastest. It gives the size of the file.
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
