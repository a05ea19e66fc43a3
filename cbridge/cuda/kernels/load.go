package kernels

// #include "params.h"
import "C"

import (
	_ "embed"
	"errors"
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/cuda"
)

//go:embed normalize.ptx
var normalizePTX string

//go:embed resize.ptx
var resizePTX string

//go:embed frames.ptx
var framesPTX string

// Kernels are the kernels of this package, loaded into a device's context.
type Kernels struct {
	context   *cuda.Context
	modules   []cuda.Module
	functions map[string]cuda.Function
	last      atomic.Pointer[C.spool_scale] // of a launch
}

// Load makes the driver compile the kernels, which takes a while the first time on a machine. The caller owns them and
// MUST Close them, before the context and when all launches are done.
func Load(c *cuda.Context) (*Kernels, error) {
	k := &Kernels{context: c, functions: map[string]cuda.Function{}}
	for _, part := range []struct {
		ptx   string
		names []string
	}{
		{normalizePTX, names("normalize", []int{1, 3, 4}, spool.Float32, spool.Float16, spool.BFloat16)},
		{resizePTX, []string{"resize"}},
		{framesPTX, names("frames", []int{1, 2}, spool.Uint8, spool.Float32, spool.Float16, spool.BFloat16)},
	} {
		if err := k.load(part.ptx, part.names); err != nil {
			return nil, errors.Join(err, k.Close())
		}
	}
	return k, nil
}

// names returns the names of kernels for each number and type.
func names(of string, numbers []int, types ...spool.DType) (list []string) {
	for _, n := range numbers {
		for _, t := range types {
			list = append(list, fmt.Sprintf("%s_%d_%d", of, n, kind(t)))
		}
	}
	return list
}

func (k *Kernels) load(ptx string, names []string) error {
	m, err := k.context.LoadModule(ptx)
	if err != nil {
		return err
	}
	k.modules = append(k.modules, m)
	for _, name := range names {
		if k.functions[name], err = k.context.Function(m, name); err != nil {
			return err
		}
	}
	return nil
}

// Close unloads the kernels. A second Close does nothing.
func (k *Kernels) Close() error {
	var errs []error
	for _, m := range k.modules {
		errs = append(errs, k.context.CloseModule(m))
	}
	k.modules = nil
	return errors.Join(errs...)
}

// launch queues a kernel for images, or for frames, with a number of blocks for each.
func (k *Kernels) launch(s cuda.Stream, name string, blocks, images int, parameters unsafe.Pointer,
	bytes uintptr) error {
	grid := cuda.Grid{Width: uint32(blocks), Height: uint32(images), Threads: threads}
	return k.context.Launch(k.functions[name], grid, s, parameters, bytes)
}

// threads is the block size that the kernels are compiled for.
const threads = C.SPOOL_THREADS

// blocks returns the number of blocks that n pieces of work fill, with some for each thread.
func blocks(n, each int) int { return (n + threads*each - 1) / (threads * each) }
