package media

/*
#cgo pkg-config: libswresample libavutil
#include "resample.h"
*/
import "C"

import (
	"fmt"
	"unsafe"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/resample"
)

// Resampler runs swresample with its defaults.
type Resampler struct {
	swr      *C.spool_floor_resampler
	channels int
}

// OpenResampler creates a Resampler for up to 8 channels. The caller MUST close it.
func OpenResampler(in, out, channels int) (*Resampler, error) {
	if channels < 1 || channels > 8 {
		return nil, fmt.Errorf("%w: resample: %d channels", spool.ErrOptions, channels)
	}
	swr := C.spool_floor_resampler_open(C.int(in), C.int(out), C.int(channels))
	if swr == nil {
		return nil, fmt.Errorf("%w: resample: swresample refuses %d Hz to %d Hz", spool.ErrInternal, in, out)
	}
	return &Resampler{swr, channels}, nil
}

// Process resamples n samples per channel, and returns the number of samples written per channel.
func (r *Resampler) Process(dst, src resample.Planes, n int) (int, error) {
	if !holds(src, r.channels, n) || !holds(dst, r.channels, dst.Stride) {
		return 0, fmt.Errorf("%w: resample: planes too short", spool.ErrShape)
	}
	got := C.spool_floor_resampler_push(r.swr, C.int(r.channels), (*C.float)(unsafe.SliceData(src.Data)),
		C.int64_t(src.Stride), C.int(n), (*C.float)(unsafe.SliceData(dst.Data)), C.int64_t(dst.Stride), C.int(dst.Stride))
	if got < 0 {
		return 0, fmt.Errorf("%w: resample: swresample failed (%d)", spool.ErrInternal, got)
	}
	return int(got), nil
}

func holds(p resample.Planes, channels, n int) bool {
	return n >= 0 && n <= p.Stride && (channels-1)*p.Stride+n <= len(p.Data)
}

// Close frees the resampler. A second Close does nothing.
func (r *Resampler) Close() error {
	C.spool_floor_resampler_close(r.swr)
	r.swr = nil
	return nil
}
