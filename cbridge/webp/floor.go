package webp

/*
#include "webp.h"
*/
import "C"

import "github.com/spoolmedia/spool"

// FloorRGB decodes with libwebp and nothing around it: the floor that benchmarks measure Decode by. Dst
// takes the whole picture, RGB, rows without gaps. The error says no more than corrupt.
func FloorRGB(data, dst []byte) error {
	return floorError(C.spool_webp_floor_rgb(bytesOf(data), C.size_t(len(data)), bytesOf(dst), C.size_t(len(dst))))
}

// FloorYUV is FloorRGB without upsampling and colour conversion: the planes of a lossy picture.
func FloorYUV(data, dst []byte) error {
	return floorError(C.spool_webp_floor_yuv(bytesOf(data), C.size_t(len(data)), bytesOf(dst), C.size_t(len(dst))))
}

// FloorFrames composes the first frames of an animation with libwebp's own decoder of animations. Dst takes the canvases,
// RGBA, one behind the other.
func FloorFrames(data []byte, frames int, dst []byte) error {
	return floorError(C.spool_webp_floor_frames(bytesOf(data), C.size_t(len(data)), C.int(frames), bytesOf(dst), C.size_t(len(dst))))
}

func floorError(status C.int) error {
	if status == C.SPOOL_WEBP_OK {
		return nil
	}
	return &spool.Error{Op: "decode", Class: spool.ErrCorrupt, Lib: library, Text: "bare decode failed"}
}
