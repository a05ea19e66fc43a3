package floor

// #include "floor.h"
import "C"

const webp = "libwebp"

// WebP decodes with libwebp. dst receives the whole image, RGB, rows without gaps.
func WebP(data, dst []byte) error {
	return answer(webp, C.spool_floor_webp(bytesOf(data), C.size_t(len(data)), bytesOf(dst), C.size_t(len(dst))))
}

// WebPYUV is WebP without upsampling and color conversion: the planes of a lossy image.
func WebPYUV(data, dst []byte) error {
	return answer(webp, C.spool_floor_webp_yuv(bytesOf(data), C.size_t(len(data)), bytesOf(dst), C.size_t(len(dst))))
}

// WebPFrames composes the first frames of an animation with libwebp's WebPAnimDecoder. dst receives the canvases, RGBA,
// one after another.
func WebPFrames(data []byte, frames int, dst []byte) error {
	return answer(webp, C.spool_floor_webp_frames(bytesOf(data), C.size_t(len(data)), C.int(frames),
		bytesOf(dst), C.size_t(len(dst))))
}
