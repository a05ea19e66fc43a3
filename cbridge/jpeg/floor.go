package jpeg

/*
#include "floor.h"
#include "jpeg.h"
*/
import "C"

import "github.com/spoolmedia/spool"

// FloorRGB decodes with libjpeg-turbo and nothing around it: the floor that benchmarks measure Decode
// by. Dst takes the whole picture, RGB, rows without gaps. The error says no more than corrupt.
func FloorRGB(data, dst []byte) error {
	return floorError(C.spool_jpeg_floor_rgb(bytesOf(data), C.size_t(len(data)), bytesOf(dst), C.size_t(len(dst))))
}

// FloorCoefficients reads the coefficients and no more: what entropy decoding costs.
func FloorCoefficients(data []byte) error {
	return floorError(C.spool_jpeg_floor_coefficients(bytesOf(data), C.size_t(len(data))))
}

// FloorPlanar is FloorRGB without upsampling and colour conversion; the planes are thrown away.
func FloorPlanar(data []byte) error {
	return floorError(C.spool_jpeg_floor_planar(bytesOf(data), C.size_t(len(data))))
}

// FloorPlanes is FloorPlanar with the planes kept, one behind the other: of each component the blocks of 8 x 8
// that the picture reaches into, rows without gaps. What another decoder makes can be held to them.
func FloorPlanes(data, dst []byte) error {
	return floorError(C.spool_jpeg_floor_planes(bytesOf(data), C.size_t(len(data)), bytesOf(dst), C.size_t(len(dst))))
}

func floorError(status C.int) error {
	if status == C.SPOOL_JPEG_OK {
		return nil
	}
	return &spool.Error{Op: "decode", Class: spool.ErrCorrupt, Lib: library, Text: "bare decode failed"}
}
