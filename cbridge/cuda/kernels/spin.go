package kernels

/*
#include "params.h"
*/
import "C"

import (
	_ "embed"
	"errors"
	"time"
	"unsafe"

	"github.com/spoolmedia/spool/cbridge/cuda"
)

//go:embed spin.ptx
var spinPTX string

// Spinner is a kernel that keeps a stream busy, as a simulated consumer for measurements.
type Spinner struct{ kernels *Kernels }

// LoadSpinner loads the kernel, as Load does.
func LoadSpinner(c *cuda.Context) (*Spinner, error) {
	k := &Kernels{context: c, functions: map[string]cuda.Function{}}
	if err := k.load(spinPTX, []string{"spin"}); err != nil {
		return nil, errors.Join(err, k.Close())
	}
	return &Spinner{k}, nil
}

// Spin queues the kernel. It reads a byte at in, spins for d on one thread of the device, and writes 8 bytes at out.
func (s *Spinner) Spin(stream cuda.Stream, in, out cuda.Pointer, d time.Duration) error {
	p := C.spool_spin_launch{in: C.ulonglong(in), out: C.ulonglong(out), nanoseconds: C.ulonglong(d.Nanoseconds())}
	return s.kernels.context.Launch(s.kernels.functions["spin"], cuda.Grid{Width: 1, Height: 1, Threads: threads}, stream,
		unsafe.Pointer(&p), unsafe.Sizeof(p))
}

// Close unloads the kernel. A second Close does nothing.
func (s *Spinner) Close() error { return s.kernels.Close() }
