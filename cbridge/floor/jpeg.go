package floor

// #include "floor.h"
import "C"

const jpeg = "libjpeg-turbo"

// JPEG decodes with libjpeg-turbo. dst receives the whole image, RGB, rows without gaps.
func JPEG(data, dst []byte) error {
	return answer(jpeg, C.spool_floor_jpeg(bytesOf(data), C.size_t(len(data)), bytesOf(dst), C.size_t(len(dst))))
}

// JPEGCoefficients reads only the coefficients: the cost of entropy decoding.
func JPEGCoefficients(data []byte) error {
	return answer(jpeg, C.spool_floor_jpeg_coefficients(bytesOf(data), C.size_t(len(data))))
}

// JPEGPlanar is JPEG without upsampling and color conversion. It discards the planes.
func JPEGPlanar(data []byte) error {
	return answer(jpeg, C.spool_floor_jpeg_planar(bytesOf(data), C.size_t(len(data))))
}

// JPEGPlanes is JPEGPlanar with output. dst receives the components' planes one after another, rounded up to whole
// blocks of 8 x 8 samples, rows without gaps. Tests compare another decoder's planes with them.
func JPEGPlanes(data, dst []byte) error {
	return answer(jpeg, C.spool_floor_jpeg_planes(bytesOf(data), C.size_t(len(data)), bytesOf(dst), C.size_t(len(dst))))
}
