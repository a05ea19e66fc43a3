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

// Video decodes the best video stream of a file with FFmpeg's own loop in C, on one thread. It returns the number of
// frames. With rgb, swscale converts each frame to an RGB image of the same size, which is discarded.
func Video(path string, rgb bool) (int64, error) {
	convert := C.int(0)
	if rgb {
		convert = 1
	}
	counts, err := decode(path, 1, convert)
	return int64(counts.frames), err
}

// Audio decodes the best audio stream of a file, like Video. It returns the number of samples per channel.
func Audio(path string) (int64, error) {
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
