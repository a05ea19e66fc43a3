package floor

// #include "floor.h"
import "C"

const avif = "libavif"

// AVIF decodes the first image with libavif. dst receives the whole image as 8-bit RGB, rows without gaps.
func AVIF(data, dst []byte) error {
	return answer(avif, C.spool_floor_avif(bytesOf(data), C.size_t(len(data)), bytesOf(dst), C.size_t(len(dst))))
}

// AVIFPlanar is AVIF without conversion. It discards the planes.
func AVIFPlanar(data []byte) error {
	return answer(avif, C.spool_floor_avif_planar(bytesOf(data), C.size_t(len(data))))
}
