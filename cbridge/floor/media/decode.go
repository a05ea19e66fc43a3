package media

/*
#cgo CFLAGS: -O3 -Wall -Wextra -Werror
#cgo pkg-config: libavformat libavcodec libavutil libswscale
#include <stdlib.h>
#include "decode.h"
*/
import "C"

import (
	"unsafe"

	"github.com/spoolmedia/spool"
)

// Video decodes the best video of a file by FFmpeg's own loop in C, by one thread, and gives the number of frames.
// With rgb it has swscale convert each frame to a picture of its size, which is thrown away.
func Video(path string, rgb bool) (int64, error) {
	convert := C.int(0)
	if rgb {
		convert = 1
	}
	counts, err := decode(path, 1, convert)
	return int64(counts.frames), err
}

// Sound is Video for the best sound of a file. It gives the number of samples of each channel.
func Sound(path string) (int64, error) {
	counts, err := decode(path, 0, 0)
	return int64(counts.samples), err
}

func decode(path string, video, rgb C.int) (counts C.spool_floor_counts, err error) {
	url := C.CString("file:" + path)
	defer C.free(unsafe.Pointer(url))
	if code := C.spool_floor_decode(url, video, rgb, &counts); code < 0 {
		return counts, &spool.Error{Op: "decode", File: path, Class: spool.ErrCorrupt, Lib: "FFmpeg", Code: int(code),
			Text: "bare decode failed"}
	}
	return counts, nil
}
