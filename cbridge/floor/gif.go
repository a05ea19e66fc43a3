package floor

// #include "floor.h"
import "C"

// GIF decodes the first frame with giflib. dst receives the frame, without its canvas, as RGB, rows without gaps.
func GIF(data, dst []byte) error {
	return answer("giflib", C.spool_floor_gif(bytesOf(data), C.size_t(len(data)), bytesOf(dst), C.size_t(len(dst))))
}
