package floor

// #include "floor.h"
import "C"

const webp = "libwebp"

// WebP decodes with libwebp. Dst takes the whole picture, RGB, rows without gaps.
func WebP(data, dst []byte) error {
	return answer(webp, C.spool_floor_webp(bytesOf(data), C.size_t(len(data)), bytesOf(dst), C.size_t(len(dst))))
}

// WebPYUV is WebP without upsampling and colour conversion: the planes of a lossy picture.
func WebPYUV(data, dst []byte) error {
	return answer(webp, C.spool_floor_webp_yuv(bytesOf(data), C.size_t(len(data)), bytesOf(dst), C.size_t(len(dst))))
}

// WebPFrames composes the first frames of an animation with libwebp's own decoder of animations. Dst takes the
// canvases, RGBA, one behind the other.
func WebPFrames(data []byte, frames int, dst []byte) error {
	return answer(webp, C.spool_floor_webp_frames(bytesOf(data), C.size_t(len(data)), C.int(frames),
		bytesOf(dst), C.size_t(len(dst))))
}
