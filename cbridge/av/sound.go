package av

/*
#cgo pkg-config: libswresample
#include <stdlib.h>
#include "sound.h"
*/
import "C"

import (
	"fmt"
	"runtime"
	"slices"
	"unsafe"

	"github.com/spoolmedia/spool"
)

// Planes are the frame's samples in C memory: one plane for each channel, or a single one in which the channels are
// interleaved, as SampleFormat says. They are valid until the next Receive or Release. They are appended to dst.
func (f *Frame) Planes(dst []unsafe.Pointer) ([]unsafe.Pointer, error) {
	if f.frame == nil {
		return nil, closed("frame")
	}
	room := max(f.Channels, 1)
	dst = slices.Grow(dst, room)
	n := C.spool_av_sound_planes(f.frame.UnsafePointer(), unsafe.SliceData(dst[len(dst):][:room]), C.int32_t(room))
	runtime.KeepAlive(f)
	if n < 0 {
		return nil, fmt.Errorf("%w: av: a frame without samples", spool.ErrInternal)
	}
	return dst[:len(dst)+int(n)], nil
}

// maxChannels bounds the channels of a matrix; swresample mixes 64.
const maxChannels = 1 << 16

// Downmix is the matrix with which swresample takes sound of one number of channels to another: out rows of in weights. Layout
// is FFmpeg's name of the channels' places; where it is empty or no layout, they are the usual ones of so many
// channels. The front channels above are left out where the other sound lacks them, as FFmpeg 5.1 does and 7.1 does
// not: the weights are the same with both. Normalized are rows whose sum does not exceed full scale, as swresample has
// them where integers result; floats may.
//
//	Errors: unsupported, for channels without a usual layout; spool.ErrOptions.
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
	if code := C.spool_av_sound_matrix(name, C.int32_t(in), C.int32_t(out), flag, (*C.double)(&matrix[0])); code < 0 {
		return nil, &spool.Error{Op: opDecode, Class: spool.ErrUnsupported, Lib: library, Code: int(code),
			Text: fmt.Sprintf("no way to mix %d channels to %d", in, out)}
	}
	return matrix, nil
}

// LayoutName is FFmpeg's name of the channels whose places are set in a mask, which is that of
// WAVE_FORMAT_EXTENSIBLE for the first 18 of them; empty for a mask of none.
func LayoutName(mask uint64) string {
	var name [64]C.char
	if C.spool_av_sound_layout(C.uint64_t(mask), &name[0], C.int(len(name))) < 0 {
		return ""
	}
	return C.GoString(&name[0])
}
