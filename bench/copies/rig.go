package copies

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/cuda"
	"github.com/spoolmedia/spool/cbridge/cuda/kernels"
	"github.com/spoolmedia/spool/cbridge/floor/device"
	"github.com/spoolmedia/spool/transfer"
)

// inFlight is the number of buffers that h2d uses in turn: the copier's three slabs, and the next. The floor copies
// from as many, since a single buffer may stay in the host's cache.
const inFlight = 4

// rig has everything to copy batches of one size, and the resources of the floor and the consumer.
type rig struct {
	size   int
	device *transfer.Device
	pinned *transfer.PinnedMemory
	fast   *spool.Pool // pinned memory
	plain  *spool.Pool
	copier *transfer.Copier
	closes []func() error // called in reverse order

	context *cuda.Context // the following fields are for CUDA devices only
	stream  cuda.Stream
	spinner *kernels.Spinner
	memory  cuda.Pointer  // for a batch
	host    *spool.Buffer // inFlight batches, for the floor
	bare    *device.Driver
}

func newRig(device *transfer.Device, driver string, size int) (_ *rig, err error) {
	r := &rig{size: size, device: device, pinned: transfer.NewPinnedMemory(device)}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.close())
		}
	}()
	if r.fast, err = spool.NewPool(spool.PoolOptions{Allocator: r.pinned}); err != nil {
		return nil, err
	}
	r.closes = append(r.closes, r.fast.Close)
	if r.plain, err = spool.NewPool(spool.PoolOptions{Allocator: spool.Mmap{}}); err != nil {
		return nil, err
	}
	r.closes = append(r.closes, r.plain.Close)
	if r.host, err = r.fast.Get(context.Background(), inFlight*size); err != nil {
		return nil, err
	}
	r.closes = append(r.closes, func() error { r.host.Release(); return nil })
	if r.copier, err = transfer.NewCopier(device, transfer.CopierOptions{SlabBytes: size}); err != nil {
		return nil, err
	}
	r.closes = append(r.closes, r.copier.Close)
	if device.Kind() == transfer.CUDA {
		return r, r.openFloor(driver)
	}
	return r, nil
}

// openFloor opens the resources of the floor and the consumer, in the same context.
func (r *rig) openFloor(file string) error {
	driver, err := cuda.Load(file)
	if err != nil {
		return err
	}
	if r.bare, err = device.Load(file); err != nil {
		return err
	}
	if r.context, err = driver.Open(r.device.Number()); err != nil {
		return err
	}
	r.closes = append(r.closes, r.context.Close)
	if r.stream, err = r.context.NewStream(); err != nil {
		return err
	}
	r.closes = append(r.closes, func() error { return r.context.CloseStream(r.stream) })
	if r.memory, err = r.context.Alloc(max(r.size, 8)); err != nil {
		return err
	}
	r.closes = append(r.closes, func() error { return r.context.Free(r.memory) })
	if r.spinner, err = kernels.LoadSpinner(r.context); err != nil {
		return err
	}
	r.closes = append(r.closes, r.spinner.Close)
	return nil
}

func (r *rig) close() error {
	var errs []error
	for _, f := range slices.Backward(r.closes) {
		errs = append(errs, f())
	}
	return errors.Join(errs...)
}

// verify copies a batch to the device and back, and compares its bytes.
func (r *rig) verify(ctx context.Context) error {
	random := rand.NewChaCha8([32]byte{})
	buffer, err := r.fast.Get(ctx, r.size)
	if err != nil {
		return err
	}
	_, _ = random.Read(buffer.Bytes())
	want := bytes.Clone(buffer.Bytes())
	b, err := r.copier.CopyBuffer(ctx, buffer)
	if err != nil {
		buffer.Release()
		return err
	}
	defer b.Release()
	got, err := b.Fetch(ctx, 0, r.fast)
	if err != nil {
		return err
	}
	defer got.Release()
	if !bytes.Equal(want, got.Bytes()) {
		return fmt.Errorf("%w: %d bytes are not the same after a copy to %s and back", spool.ErrInternal, r.size,
			r.device.Name())
	}
	return nil
}

// copyBatches copies batches from a pool, calls use for each, and waits for the last.
func (r *rig) copyBatches(ctx context.Context, batches int, pool *spool.Pool, use func(*transfer.Batch) error) error {
	for i := range batches {
		buffer, err := pool.Get(ctx, r.size)
		if err != nil {
			return err
		}
		b, err := r.copier.CopyBuffer(ctx, buffer)
		if err != nil {
			buffer.Release()
			return err
		}
		if use != nil {
			err = use(b)
		}
		if i == batches-1 {
			err = errors.Join(err, b.Wait(ctx))
		}
		b.Release()
		if err != nil {
			return err
		}
	}
	return nil
}

// copyBack copies a batch to the host repeatedly.
func (r *rig) copyBack(ctx context.Context, batches int) error {
	return r.copyBatches(ctx, 1, r.fast, func(b *transfer.Batch) error {
		for range batches {
			got, err := b.Fetch(ctx, 0, r.fast)
			if err != nil {
				return err
			}
			got.Release()
		}
		return nil
	})
}

// get takes buffers from the pool, as d2h does for its copies.
func (r *rig) get(ctx context.Context, batches int) error {
	for range batches {
		buffer, err := r.fast.Get(ctx, r.size)
		if err != nil {
			return err
		}
		buffer.Release()
	}
	return nil
}

// hold allocates and frees memory like a pool's slab.
func (r *rig) hold(_ context.Context, batches int) error {
	for range batches {
		memory, err := r.pinned.Alloc(r.size)
		if err != nil {
			return err
		}
		if err := r.pinned.Free(memory); err != nil {
			return err
		}
	}
	return nil
}

// spin keeps the consumer busy for the duration d.
func (r *rig) spin(in cuda.Pointer, d time.Duration) error {
	return r.spinner.Spin(r.stream, in, r.memory, d)
}
