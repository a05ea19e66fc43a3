//go:build !nofloor

package resample

/*
#cgo pkg-config: libswresample libavutil
#include "floor.h"
*/
import "C"

import (
	"fmt"
	"unsafe"

	"github.com/spoolmedia/spool"
)

// Floor is swresample with its defaults and nothing around it: what benchmarks measure a Resampler by.
type Floor struct {
	swr      *C.spool_resample_floor
	channels int
}

// OpenFloor makes one for up to 8 channels. The caller MUST close it.
func OpenFloor(in, out, channels int) (*Floor, error) {
	if channels < 1 || channels > 8 {
		return nil, fmt.Errorf("%w: resample: %d channels", spool.ErrOptions, channels)
	}
	swr := C.spool_resample_floor_open(C.int(in), C.int(out), C.int(channels))
	if swr == nil {
		return nil, fmt.Errorf("%w: resample: swresample refuses %d Hz to %d Hz", spool.ErrInternal, in, out)
	}
	return &Floor{swr, channels}, nil
}

// Process takes n samples of each channel, and gives the number of those that came out.
func (f *Floor) Process(dst, src Planes, n int) (int, error) {
	if !src.holds(f.channels, n) || !dst.holds(f.channels, dst.Stride) {
		return 0, fmt.Errorf("%w: resample: planes too short", spool.ErrShape)
	}
	got := C.spool_resample_floor_push(f.swr, C.int(f.channels), (*C.float)(unsafe.SliceData(src.Data)), C.int64_t(src.Stride),
		C.int(n), (*C.float)(unsafe.SliceData(dst.Data)), C.int64_t(dst.Stride), C.int(dst.Stride))
	if got < 0 {
		return 0, fmt.Errorf("%w: resample: swresample failed (%d)", spool.ErrInternal, got)
	}
	return int(got), nil
}

// Close frees it. A second Close does nothing.
func (f *Floor) Close() error {
	C.spool_resample_floor_close(f.swr)
	f.swr = nil
	return nil
}
