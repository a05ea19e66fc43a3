package av

/*
#include <stdlib.h>
#include "floor.h"
*/
import "C"

import (
	"unsafe"

	"github.com/spoolmedia/spool"
)

// Floor decodes the best video or sound of a file by FFmpeg's own loop in C, with nothing around it, by one thread: the floor that
// benchmarks measure by. With rgb it has swscale convert each frame to a picture of its size, which is thrown away.
// The result is the number of frames, or of samples of each channel.
func Floor(path string, kind Kind, rgb bool) (int64, error) {
	silence()
	url := C.CString("file:" + path)
	defer C.free(unsafe.Pointer(url))
	video, convert := C.int(0), C.int(0)
	if kind == Video {
		video = 1
	}
	if rgb {
		convert = 1
	}
	var counts C.spool_av_floor
	if code := C.spool_av_floor_decode(url, video, convert, &counts); code < 0 {
		return 0, &spool.Error{Op: opDecode, File: path, Class: spool.ErrCorrupt, Lib: library, Code: int(code), Text: "bare decode failed"}
	}
	if kind == Video {
		return int64(counts.frames), nil
	}
	return int64(counts.samples), nil
}
