package avif

/*
#include "avif.h"
*/
import "C"

import "github.com/spoolmedia/spool"

// FloorRGB decodes the first picture with libavif and nothing around it: what benchmarks measure Decode
// by. Dst takes the whole picture as 8-bit RGB, rows without gaps. The error says no more than corrupt.
func FloorRGB(data, dst []byte) error {
	return floorError(C.spool_avif_floor_rgb(bytesOf(data), C.size_t(len(data)), bytesOf(dst), C.size_t(len(dst))))
}

// FloorPlanar is FloorRGB without conversion; the planes are thrown away.
func FloorPlanar(data []byte) error {
	return floorError(C.spool_avif_floor_planar(bytesOf(data), C.size_t(len(data))))
}

func floorError(status C.int) error {
	if status == C.SPOOL_AVIF_OK {
		return nil
	}
	return &spool.Error{Op: "decode", Class: spool.ErrCorrupt, Lib: library, Text: "bare decode failed"}
}
