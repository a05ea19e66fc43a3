package floor

// #include "floor.h"
import "C"

// JP2 decodes a picture with libopenjp2, into planes that are thrown away.
func JP2(data []byte) error {
	return answer("libopenjp2", C.spool_floor_jp2(bytesOf(data), C.size_t(len(data))))
}
