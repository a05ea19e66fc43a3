package png

/*
#include "spool_png.h"
*/
import "C"

import "github.com/spoolmedia/spool"

// FloorLibpng decodes with libpng and nothing around it, making the calls that torchvision makes: the floor
// that benchmarks measure Decode by. Dst takes the whole picture, RGB of 8 bits, rows without gaps. The
// error says no more than corrupt.
func FloorLibpng(data, dst []byte) error {
	return floorError(C.spool_png_floor_rgb(bytesOf(data), C.size_t(len(data)), bytesOf(dst), C.size_t(len(dst))))
}

// FloorInflate gathers the chunks of pixels and inflates them with libdeflate, and nothing else.
func FloorInflate(data []byte) error {
	return floorError(C.spool_png_floor_inflate(bytesOf(data), C.size_t(len(data)), 0))
}

// FloorUnfilter is FloorInflate, and has the kernels undo the filters of what was inflated.
func FloorUnfilter(data []byte) error {
	return floorError(C.spool_png_floor_inflate(bytesOf(data), C.size_t(len(data)), 1))
}

// FloorEncode makes a file of an RGB picture of 8 bits with libpng's simplified interface: its filters, and the level of
// zlib that it takes by itself, or the fastest. It gives the size of the file.
func FloorEncode(rgb []byte, width, height int, fast bool) (int, error) {
	flag := C.int(0)
	if fast {
		flag = 1
	}
	size := C.spool_png_floor_encode(bytesOf(rgb), C.int32_t(width), C.int32_t(height), flag)
	if size == 0 {
		return 0, floorError(C.SPOOL_PNG_NO_MEMORY)
	}
	return int(size), nil
}

func floorError(status C.int) error {
	if status == C.SPOOL_PNG_OK {
		return nil
	}
	return &spool.Error{Op: "decode", Class: spool.ErrCorrupt, Text: "the bare library failed"}
}
