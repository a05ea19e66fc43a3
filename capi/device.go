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
	"github.com/spoolmedia/spool/internal/invalid"
	"github.com/spoolmedia/spool/transfer"
)

// device is the destination of a loader's batches.
type device struct {
	*transfer.Device
	pinned *transfer.PinnedMemory // memory of batches; nil on the host
	copier *transfer.Copier       // nil if batches are not copied
	ring   int32

	inUse        atomic.Int32 // batches on the device that C holds
	waitingSince atomic.Int64 // when a call first waited with all of them held, in Unix nanoseconds; 0: no call waits
}

// ringTimeout is how long a loader waits for a device's memory while C holds all of it. Another thread may release
// some.
const ringTimeout = 5 * time.Second

// openDevice opens a device by name.
func openDevice(name string, ring int) (d *device, err error) {
	d = &device{ring: int32(ring)}
	if d.Device, err = transfer.Open(name, transfer.DeviceOptions{}); err != nil {
		return nil, err
	}
	if d.Kind() != transfer.Host {
		d.pinned = transfer.NewPinnedMemory(d.Device)
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

// allocator returns the allocator of batches; nil selects the default.
func (d *device) allocator() spool.Allocator {
	if d.pinned == nil {
		return nil
	}
	return d.pinned
}

// note describes a problem with the batches' memory, or is empty.
func (d *device) note() string {
	if d.pinned == nil {
		return ""
	}
	if why := d.pinned.Stats().Why; why != nil {
		return "memory is not pinned: " + why.Error()
	}
	return ""
}

// hold makes an array of a batch on the device, which C will hold.
func (d *device) hold(b *transfer.Batch) (dlpack.Array, *onDevice) {
	d.inUse.Add(1)
	d.waitingSince.Store(0)
	o := &onDevice{batch: b, device: d, holders: new(atomic.Int32)}
	o.holders.Store(1)
	return o.view(), o
}

// view returns the array of the batch that o is about.
func (o *onDevice) view() dlpack.Array {
	a := o.batch.Arrays()[o.number]
	return dlpack.Array{Desc: a.Desc, Pointer: a.Pointer, Device: dlpack.CUDA, Number: o.device.Number()}
}

// array makes another array of the batch.
func (o *onDevice) array(number int) (*C.spool_array, error) {
	o.mu.Lock()
	n := len(o.batch.Arrays())
	if number < 0 || number >= n {
		o.mu.Unlock()
		return nil, invalid.Errorf("array %d: the batch has %d", number, n)
	}
	other := &onDevice{batch: o.batch.Retain(), number: number, device: o.device, holders: o.holders}
	o.holders.Add(1)
	o.mu.Unlock()
	return handArray(other.view(), other)
}

// ringError returns an error if C has long waited for a batch while it holds all of the ring.
func (d *device) ringError() error {
	if !d.copies() || d.inUse.Load() < d.ring {
		d.waitingSince.Store(0)
		return nil
	}
	now := time.Now().UnixNano()
	if d.waitingSince.CompareAndSwap(0, now) || time.Duration(now-d.waitingSince.Load()) < ringTimeout {
		return nil
	}
	return invalid.Errorf("all %d batches of the ring on %s are held: "+
		"release some, copy those to keep, or set a larger ring", d.ring, d.Name())
}

// Close closes the device. Batches that C holds stay valid.
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

// onDevice is a batch on a device that C holds.
type onDevice struct {
	mu     sync.Mutex // a batch must not be used concurrently
	batch  *transfer.Batch
	number int // of the array that C holds
	device *device

	holders *atomic.Int32 // arrays of this batch that C holds
}

// Close releases the batch.
func (o *onDevice) Close() error {
	o.batch.Release()
	if o.holders.Add(-1) == 0 {
		o.device.inUse.Add(-1)
	}
	return nil
}

//export goArrayDLPackIn
func goArrayDLPackIn(owner C.uintptr_t, stream C.uint64_t, versioned, readOnly C.int32_t, tensor *unsafe.Pointer,
	e *C.spool_error) C.int32_t {
	return guard(e, "dlpack", func() error {
		return use(owner, func(_ context.Context, a *spool_array) (err error) {
			o := a.Closer.(*onDevice) // any other array is not on a device
			o.mu.Lock()
			defer o.mu.Unlock()
			*tensor, err = o.batch.DLPack(o.number, transfer.Stream(stream),
				transfer.DLPackOptions{Versioned: versioned != 0, ReadOnly: readOnly != 0})
			return err
		})
	})
}

//export goArrayCUDA
func goArrayCUDA(owner C.uintptr_t, stream C.uint64_t, readOnly C.int32_t, json **C.spool_array,
	e *C.spool_error) C.int32_t {
	return guard(e, "cuda", func() error {
		return use(owner, func(_ context.Context, a *spool_array) error {
			o, ok := a.Closer.(*onDevice)
			if !ok {
				return invalid.Errorf("an array in host memory has no CUDA array interface")
			}
			o.mu.Lock()
			defer o.mu.Unlock()
			described, err := o.batch.CUDAArray(o.number, transfer.Stream(stream), readOnly != 0)
			if err == nil {
				*json, err = jsonArray(described)
			}
			return err
		})
	})
}
