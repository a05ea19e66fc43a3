package main

/*
#include "spool.h"
*/
import "C"

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/dlpack"
	"github.com/spoolmedia/spool/transfer"
)

// device is where a loader's batches go.
type device struct {
	*transfer.Device
	pinned *transfer.PinnedMemory // of batches; nil on the host
	copier *transfer.Copier       // nil where batches are not copied
	ring   int32

	held  atomic.Int32 // batches on the device that C has
	since atomic.Int64 // when somebody was first found to wait with all of them held, in Unix nanoseconds; 0: nobody
}

// patience is how long a loader waits for a device's memory while C holds all of it: another thread may be about to let go.
const patience = 5 * time.Second

// openDevice opens a device by its name.
func openDevice(name string, ring int) (d *device, err error) {
	d = &device{ring: int32(ring)}
	if d.Device, err = transfer.Open(name, transfer.DeviceOptions{}); err != nil {
		return nil, err
	}
	if d.Kind() != transfer.Host {
		d.pinned = transfer.NewPinned(d.Device)
	}
	if d.Kind() == transfer.CUDA {
		if d.copier, err = transfer.NewCopier(d.Device, transfer.CopierOptions{Slabs: ring}); err != nil {
			return nil, errors.Join(err, d.Device.Close())
		}
	}
	return d, nil
}

// copies reports whether batches are copied to the device.
func (d *device) copies() bool { return d.copier != nil }

// allocator is where the memory of batches comes from; nil: anywhere.
func (d *device) allocator() spool.Allocator {
	if d.pinned == nil {
		return nil
	}
	return d.pinned
}

// note is what is wrong with the batches' memory, if something is.
func (d *device) note() string {
	if d.pinned == nil {
		return ""
	}
	if why := d.pinned.Stats().Why; why != nil {
		return "memory is not pinned: " + why.Error()
	}
	return ""
}

// hold makes an array of a batch on the device, for C to have.
func (d *device) hold(b *transfer.Batch) (dlpack.Array, *onDevice) {
	d.held.Add(1)
	d.since.Store(0)
	a := b.Arrays()[0]
	return dlpack.Array{Desc: a.Desc, Pointer: a.Pointer, Device: dlpack.CUDA, Number: d.Number()}, &onDevice{batch: b, device: d}
}

// stuck is an error when C has waited long for a batch while it holds all that there may be.
func (d *device) stuck() error {
	if !d.copies() || d.held.Load() < d.ring {
		d.since.Store(0)
		return nil
	}
	now := time.Now().UnixNano()
	if d.since.CompareAndSwap(0, now) || time.Duration(now-d.since.Load()) < patience {
		return nil
	}
	return problem("all %d batches that there may be on %s are held: let go of some, copy what is to be kept, or have more of them by ring", d.ring, d.Name())
}

// Close gives the device up. Batches that C holds stay valid.
func (d *device) Close() error {
	var err error
	if d.copier != nil {
		err = d.copier.Close()
	}
	for _, e := range []error{err, d.Device.Close()} {
		if e != nil && !errors.Is(e, spool.ErrLeaked) {
			return e
		}
	}
	return nil
}

// onDevice is a batch on a device, that C holds.
type onDevice struct {
	mu     sync.Mutex // a batch is one goroutine's at a time
	batch  *transfer.Batch
	device *device
}

// Close lets go of it.
func (o *onDevice) Close() error {
	o.batch.Release()
	o.device.held.Add(-1)
	return nil
}

//export goArrayDLPackIn
func goArrayDLPackIn(owner C.uintptr_t, stream C.uint64_t, versioned, readOnly C.int32_t, tensor *unsafe.Pointer, e *C.spool_error) C.int32_t {
	return guard(e, "dlpack", func() error {
		return use(owner, func(_ context.Context, a *spool_array) (err error) {
			o := a.Closer.(*onDevice) // or it would not be on a device
			o.mu.Lock()
			defer o.mu.Unlock()
			*tensor, err = o.batch.DLPack(0, transfer.Stream(stream), transfer.DLPackOptions{Versioned: versioned != 0, ReadOnly: readOnly != 0})
			return err
		})
	})
}
