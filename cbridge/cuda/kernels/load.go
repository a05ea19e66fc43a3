package kernels

import (
	_ "embed"
	"errors"
	"unsafe"

	"github.com/spoolmedia/spool/cbridge/cuda"
)

//go:embed normalize.ptx
var normalizePTX string

//go:embed frames.ptx
var framesPTX string

// Kernels are the kernels of this package, loaded into a device's context.
type Kernels struct {
	context   *cuda.Context
	modules   []cuda.Module
	functions map[string]cuda.Function
}

// Load makes the driver compile the kernels, which takes a while the first time on a machine. The caller owns them and
// MUST Close them, before the context and when all launches are done.
func Load(c *cuda.Context) (*Kernels, error) {
	k := &Kernels{context: c, functions: map[string]cuda.Function{}}
	for _, part := range []struct {
		ptx   string
		names []string
	}{
		{normalizePTX, []string{"normalize_1_2", "normalize_1_4", "normalize_3_2", "normalize_3_4", "normalize_4_2",
			"normalize_4_4"}},
		{framesPTX, []string{"frames_1_1", "frames_1_2", "frames_1_4", "frames_2_1", "frames_2_2", "frames_2_4"}},
	} {
		if err := k.load(part.ptx, part.names); err != nil {
			return nil, errors.Join(err, k.Close())
		}
	}
	return k, nil
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

// threads is the block size that the kernels are compiled for. turns is the number of units of work per thread: enough
// to pay for the block's table, and few enough that a batch occupies the whole device.
const (
	threads = 256
	turns   = 4
)

// launch queues a kernel for `units` units of each image.
func (k *Kernels) launch(s cuda.Stream, name string, units, images int, parameters unsafe.Pointer,
	bytes uintptr) error {
	grid := cuda.Grid{Width: uint32((units + threads*turns - 1) / (threads * turns)), Height: uint32(images),
		Threads: threads}
	return k.context.Launch(k.functions[name], grid, s, parameters, bytes)
}
