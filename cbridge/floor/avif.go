package floor

// #include "floor.h"
import "C"

const avif = "libavif"

// AVIF decodes the first picture with libavif. Dst takes the whole picture as 8-bit RGB, rows without gaps.
func AVIF(data, dst []byte) error {
	return answer(avif, C.spool_floor_avif(bytesOf(data), C.size_t(len(data)), bytesOf(dst), C.size_t(len(dst))))
}

// AVIFPlanar is AVIF without conversion; the planes are thrown away.
func AVIFPlanar(data []byte) error {
	return answer(avif, C.spool_floor_avif_planar(bytesOf(data), C.size_t(len(data))))
}
