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

// rig is what batches of one size are brought with, and what the floor and the consumer have beside it.
type rig struct {
	size   int
	device *transfer.Device
	pinned *transfer.PinnedMemory
	fast   *spool.Pool // of pinned memory
	plain  *spool.Pool
	copier *transfer.Copier
	closes []func() error // the last one first

	context *cuda.Context // of a CUDA device, and so are the next
	stream  cuda.Stream
	spinner *kernels.Spinner
	memory  cuda.Pointer  // of a batch
	host    *spool.Buffer // of the floor
	bare    *device.Driver
}

func newRig(device *transfer.Device, driver string, size int) (_ *rig, err error) {
	r := &rig{size: size, device: device, pinned: transfer.NewPinned(device)}
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
	if r.host, err = r.fast.Get(context.Background(), size); err != nil {
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

// openFloor opens what measures the driver without us, in the same context.
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

// verify has a batch go to the device and come back.
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
		return fmt.Errorf("%w: %d bytes came back from %s as others", spool.ErrInternal, r.size, r.device.Name())
	}
	return nil
}

// bring copies batches from a pool, has each used, and waits for the last.
func (r *rig) bring(ctx context.Context, batches int, pool *spool.Pool, use func(*transfer.Batch) error) error {
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

// back copies a batch to the host again and again.
func (r *rig) back(ctx context.Context, batches int) error {
	return r.bring(ctx, 1, r.fast, func(b *transfer.Batch) error {
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

// hold makes memory as a pool's slab is made, and gives it back.
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

// spin has the consumer busy for as long as a batch takes.
func (r *rig) spin(in cuda.Pointer, d time.Duration) error {
	return r.spinner.Spin(r.stream, in, r.memory, d)
}
