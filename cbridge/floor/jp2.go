package floor

// #include "floor.h"
import "C"

// JP2 decodes an image with libopenjp2. It discards the planes.
func JP2(data []byte) error {
	return answer("libopenjp2", C.spool_floor_jp2(bytesOf(data), C.size_t(len(data))))
}
