package av

/*
#cgo pkg-config: libswresample
#include <stdlib.h>
#include "audio.h"
*/
import "C"

import (
	"fmt"
	"runtime"
	"slices"
	"unsafe"

	"github.com/spoolmedia/spool"
)

// Planes appends pointers to the frame's samples in C memory to dst: one plane per channel, or a single plane of
// interleaved channels, as SampleFormat specifies. They are valid until the next Receive or Release.
func (f *Frame) Planes(dst []unsafe.Pointer) ([]unsafe.Pointer, error) {
	if f.frame == nil {
		return nil, closed("frame")
	}
	room := max(f.Channels, 1)
	dst = slices.Grow(dst, room)
	n := C.spool_av_audio_planes(f.frame.UnsafePointer(), unsafe.SliceData(dst[len(dst):][:room]), C.int32_t(room))
	runtime.KeepAlive(f)
	if n < 0 {
		return nil, fmt.Errorf("%w: av: a frame without samples", spool.ErrInternal)
	}
	return dst[:len(dst)+int(n)], nil
}

// maxChannels bounds the channels of a matrix. swresample supports 64.
const maxChannels = 1 << 16

// Downmix returns swresample's matrix for a conversion between numbers of channels: out rows of in weights.
//
// layout is FFmpeg's name of the input's channel layout. If it is empty or invalid, the default layout of the number of
// channels is used. Top front channels are omitted if the output lacks them, as in FFmpeg 5.1 but not in 7.1, so that
// the weights are the same with both. If normalized, rows are scaled so that no sum exceeds full scale, as swresample
// does for integer output. Float output does not need it.
//
//   - Errors: unsupported for a number of channels without a default layout; spool.ErrOptions.
func Downmix(layout string, in, out int, normalized bool) ([]float64, error) {
	if in < 1 || out < 1 || in > maxChannels || out > maxChannels {
		return nil, fmt.Errorf("%w: av: %d channels from %d", spool.ErrOptions, out, in)
	}
	var name *C.char
	if layout != "" {
		name = C.CString(layout)
		defer C.free(unsafe.Pointer(name))
	}
	flag := C.int(0)
	if normalized {
		flag = 1
	}
	silence()
	matrix := make([]float64, in*out)
	if code := C.spool_av_audio_matrix(name, C.int32_t(in), C.int32_t(out), flag, (*C.double)(&matrix[0])); code < 0 {
		return nil, &spool.Error{Op: opDecode, Class: spool.ErrUnsupported, Lib: library, Code: int(code),
			Text: fmt.Sprintf("cannot mix %d channels to %d", in, out)}
	}
	return matrix, nil
}

// LayoutName returns FFmpeg's name of the channels in a mask. The first 18 bits are those of WAVE_FORMAT_EXTENSIBLE. An
// empty mask has an empty name.
func LayoutName(mask uint64) string {
	var name [64]C.char
	if C.spool_av_audio_layout(C.uint64_t(mask), &name[0], C.int(len(name))) < 0 {
		return ""
	}
	return C.GoString(&name[0])
}
