package floor

// #include "floor.h"
import "C"

const jpeg = "libjpeg-turbo"

// JPEG decodes with libjpeg-turbo. Dst takes the whole picture, RGB, rows without gaps.
func JPEG(data, dst []byte) error {
	return answer(jpeg, C.spool_floor_jpeg(bytesOf(data), C.size_t(len(data)), bytesOf(dst), C.size_t(len(dst))))
}

// JPEGCoefficients reads the coefficients and no more: what entropy decoding costs.
func JPEGCoefficients(data []byte) error {
	return answer(jpeg, C.spool_floor_jpeg_coefficients(bytesOf(data), C.size_t(len(data))))
}

// JPEGPlanar is JPEG without upsampling and colour conversion; the planes are thrown away.
func JPEGPlanar(data []byte) error {
	return answer(jpeg, C.spool_floor_jpeg_planar(bytesOf(data), C.size_t(len(data))))
}

// JPEGPlanes is JPEGPlanar with the planes kept, one behind the other: of each component the blocks of 8 x 8
// that the picture reaches into, rows without gaps. What another decoder makes can be held to them.
func JPEGPlanes(data, dst []byte) error {
	return answer(jpeg, C.spool_floor_jpeg_planes(bytesOf(data), C.size_t(len(data)), bytesOf(dst), C.size_t(len(dst))))
}
