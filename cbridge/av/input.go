package av

/*
#cgo CFLAGS: -O3 -Wall -Wextra -Werror -I${SRCDIR}/../call
#cgo pkg-config: libavformat libavcodec libavutil
#include <stdlib.h>
#include "demux.h"
*/
import "C"

import (
	"sync"
	"unsafe"

	"github.com/asticode/go-astiav"

	"github.com/spoolmedia/spool/cbridge/call"
)

// silence keeps FFmpeg from printing, in the whole process. (go-astiav's log callback overflows its buffer.)
var silence = sync.OnceFunc(func() { astiav.SetLogLevel(astiav.LogLevelQuiet) })

// input is an open file. go-astiav's own opening is not used: it leaves an entry in a global map when it
// fails, and cannot be cancelled without handing C a Go pointer.
type input struct {
	*astiav.FormatContext
	c     unsafe.Pointer // the AVFormatContext
	guess guess
}

// guess is what FFmpeg takes the file for: its names for the format, and its certainty from 0 to 100.
type guess struct {
	format string
	score  int
}

// open opens a local file by its path. Calls on the input end early when c's flag is set; the input has
// to be closed before c is left.
func open(c *call.Call, path string) (*input, error) {
	silence()
	url := C.CString("file:" + path) // whatever it contains, it is a path
	defer C.free(unsafe.Pointer(url))
	var context unsafe.Pointer
	var found C.spool_av_guess
	code := C.spool_av_open(url, (*C.int32_t)(c.Flag()), &context, &found)
	guess := guess{format: C.GoString(&found.format[0]), score: int(found.score)}
	if code < 0 {
		return nil, failure(c, astiav.Error(code), guess)
	}
	return &input{FormatContext: wrapFormatContext(context), c: context, guess: guess}, nil
}

func (in *input) close() { C.spool_av_close(in.c) }

// best is the index of the best stream of a type, beside the stream of another type that has been chosen
// (-1: none); negative when there is none.
func (in *input) best(t astiav.MediaType, beside int) int {
	return int(C.spool_av_best(in.c, C.int(t), C.int(beside)))
}

func (in *input) details(stream int) (bits int, picture bool, layout string) {
	var d C.spool_av_details
	C.spool_av_describe(in.c, C.int(stream), &d)
	return int(d.bits), d.picture != 0, C.GoString(&d.layout[0])
}
