package resample

/*
#cgo CFLAGS: -O3 -g1 -Wall -Wextra -Werror -I${SRCDIR}/../call
#cgo LDFLAGS: -lm
#cgo noescape spool_resample_mix
#cgo nocallback spool_resample_mix
#cgo noescape spool_resample_store
#cgo nocallback spool_resample_store
#include "resample.h"
*/
import "C"

import (
	"fmt"
	"runtime"
	"unsafe"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
)

// MaxChannels is the largest number of channels.
const MaxChannels = 1024

// Matrix mixes In channels to Out channels: Weights has Out rows of In values. A nil *Matrix leaves channels unchanged.
type Matrix struct {
	In, Out int
	Weights []float32
}

// out returns the number of channels after the matrix, or an error if the matrix does not take n channels.
func (m *Matrix) out(n int) (int, error) {
	switch {
	case m == nil:
		return n, nil
	case m.Out < 1 || m.Out > MaxChannels || len(m.Weights) != m.In*m.Out:
		return 0, fmt.Errorf("%w: resample: %d weights for a matrix of %d channels from %d", spool.ErrOptions, len(m.Weights),
			m.Out, m.In)
	case m.In != n:
		return 0, fmt.Errorf("%w: resample: a matrix of %d channels for %d", spool.ErrShape, m.In, n)
	}
	return m.Out, nil
}

func (m *Matrix) weights() *C.float {
	if m == nil {
		return nil
	}
	return (*C.float)(unsafe.SliceData(m.Weights))
}

// Mix converts samples of any format to float32 in planes, and mixes their channels: the sum of samples times weights,
// in the order of the channels. Its result equals swresample's.
//
// Mix borrows dst, src and m for the call. It makes one C call, which stops soon after c's context ends.
//
//	Errors: spool.ErrOptions, spool.ErrShape, or *spool.Error of class canceled or timeout.
func Mix(c *call.Call, dst Planes, src Samples, m *Matrix) error {
	return mix(c, dst, src, m, best)
}

func mix(c *call.Call, dst Planes, src Samples, m *Matrix, level int) error {
	defer c.Part("spool audio: mix", c.Begin())
	if err := src.validate(); err != nil {
		return err
	}
	channels, err := m.out(src.Channels)
	if err != nil {
		return err
	}
	if !dst.holds(channels, src.Len) {
		return fmt.Errorf("%w: resample: %d floats for %d channels of %d samples, %d apart", spool.ErrShape,
			len(dst.Data), channels, src.Len, dst.Stride)
	}
	var pins runtime.Pinner
	defer pins.Unpin()
	src.pin(&pins)
	in := src.c()
	status := C.spool_resample_mix(&in, src.data(), src.planes(), m.weights(), C.int32_t(channels),
		(*C.float)(unsafe.SliceData(dst.Data)), C.int64_t(dst.Stride), (*C.int32_t)(c.Flag()), C.int(level))
	return ended(c, status)
}

// Store is the reverse of Mix, without a matrix: dst.Len samples of dst.Channels channels are rounded to the nearest
// value (ties to even), clipped, and stored. Its result equals swresample's without dither.
//
// Store borrows dst and src for the call. It makes one C call, which stops soon after c's context ends.
//
//	Errors: as those of Mix; S64, S24 and G.711 are not written.
func Store(c *call.Call, dst Samples, src Planes) error {
	return store(c, dst, src, best)
}

func store(c *call.Call, dst Samples, src Planes, level int) error {
	defer c.Part("spool audio: store", c.Begin())
	if err := dst.validate(); err != nil {
		return err
	}
	if dst.Format == S64 || dst.Format >= S24 {
		return fmt.Errorf("%w: resample: format %d is not written", spool.ErrOptions, dst.Format)
	}
	if !src.holds(dst.Channels, dst.Len) {
		return fmt.Errorf("%w: resample: %d floats for %d channels of %d samples, %d apart", spool.ErrShape,
			len(src.Data), dst.Channels, dst.Len, src.Stride)
	}
	var pins runtime.Pinner
	defer pins.Unpin()
	dst.pin(&pins)
	out := dst.c()
	status := C.spool_resample_store((*C.float)(unsafe.SliceData(src.Data)), C.int64_t(src.Stride), &out, dst.data(),
		dst.planes(), (*C.int32_t)(c.Flag()), C.int(level))
	return ended(c, status)
}

func (s *Samples) c() C.spool_resample_samples {
	in := C.spool_resample_samples{format: C.int32_t(s.Format), channels: C.int32_t(s.Channels), n: C.int64_t(s.Len)}
	if len(s.Planes) > 1 {
		in.planar = 1
	}
	return in
}

func (s *Samples) data() unsafe.Pointer { return s.Planes[0] }

func (s *Samples) planes() *unsafe.Pointer {
	if len(s.Planes) == 1 {
		return nil
	}
	return unsafe.SliceData(s.Planes)
}
