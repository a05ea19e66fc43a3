package main

/*
#include "spool.h"
*/
import "C"

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/cbridge/dlpack"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/internal/invalid"
	"github.com/spoolmedia/spool/internal/settings"
	"github.com/spoolmedia/spool/resize"
	"github.com/spoolmedia/spool/transfer"
)

// device is the destination of a loader's batches.
type device struct {
	*transfer.Device
	pinned *transfer.PinnedMemory // memory of batches; nil on the host
	copier *transfer.Copier       // nil if batches are not copied
	floats *transfer.Normalizer   // makes floats of batches; nil if they are copied as they are
	ring   int32

	inUse        atomic.Int32              // batches on the device that C holds
	waitingSince atomic.Pointer[time.Time] // when a call first waited with all of them held; nil: no call waits
}

// ringTimeout is how long a loader waits for a device's memory while C holds all of it. Another thread may release
// some.
const ringTimeout = 5 * time.Second

// openDevice opens a device by name.
func openDevice(name string, ring int, memory transfer.DeviceMemory) (d *device, err error) {
	d = &device{ring: int32(ring)}
	if d.Device, err = transfer.Open(name, transfer.DeviceOptions{Memory: memory}); err != nil {
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

// normalize makes the device convert the bytes of batches.
func (d *device) normalize(o *transfer.NormalizerOptions) (err error) {
	if o != nil {
		d.floats, err = transfer.NewNormalizer(d.copier, *o)
	}
	return err
}

// copy copies a batch to the device, in the form that the caller wants.
func (d *device) copy(ctx context.Context, b *batch.Batch) (*transfer.Batch, error) {
	if d.floats != nil {
		return d.floats.Copy(ctx, b, nil)
	}
	return d.copier.Copy(ctx, b)
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
	d.waitingSince.Store(nil)
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
		d.waitingSince.Store(nil)
		return nil
	}
	now := time.Now()
	if d.waitingSince.CompareAndSwap(nil, &now) {
		return nil
	}
	if since := d.waitingSince.Load(); since == nil || time.Since(*since) < ringTimeout {
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
	return cmp.Or(unlessLeaked(err), unlessLeaked(d.Device.Close()))
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
			*tensor, err = o.batch.DLPack(o.number, spool.DeviceStream(stream),
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
			described, err := o.batch.CUDAArray(o.number, spool.DeviceStream(stream), readOnly != 0)
			if err == nil {
				*json, err = jsonArray(described)
			}
			return err
		})
	})
}

// spool_device is a CUDA device that arrays of the caller are copied to.
type spool_device struct {
	*device
	memory *spool.Pool // pinned, for arrays in flight

	opening sync.Mutex    // of the decoders
	videos  *video.Device // nil until a video is decoded
	jpegs   *jpegs        // nil until JPEG images are decoded
	nvjpeg  string        // file name of nvJPEG; empty: the newest
	resize  resize.Spec   // of JPEG images
}

// openTransfer opens a CUDA device for copies.
func openTransfer(json *C.char) (*spool_device, error) {
	var (
		name, nvjpeg string
		ring         int
		geometry     resize.Spec
		memory       func() transfer.DeviceMemory
	)
	if err := readOptions(json, func(set *settings.Set) func() {
		set.Device(&name, "cuda", "a CUDA device")
		set.Number("ring", &ring, "3", 2, "copies on the device: those that the caller holds, and those in flight")
		set.Text("nvjpeg", &nvjpeg, "FILE", "nvJPEG, by the rules of the dynamic linker")
		set.Geometry(&geometry)
		set.Filter(&geometry.Filter)
		memory = defineAllocator(set)
		return func() {
			set.Check(geometry.Validate())
			if geometry.Mode == resize.Fit {
				set.Refuse("mode=fit: a device does not pad; use cover or stretch")
			}
		}
	}); err != nil {
		return nil, err
	}
	d, err := openDevice(name, ring, memory())
	if err != nil {
		return nil, err
	}
	if !d.copies() {
		return nil, errors.Join(invalid.Errorf("device=%s: must be a CUDA device", name), d.Close())
	}
	pinned, err := spool.NewPool(spool.PoolOptions{MaxBytes: math.MaxInt64, MaxKept: keptBytes, Allocator: d.allocator()})
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return &spool_device{device: d, memory: pinned, nvjpeg: nvjpeg, resize: geometry}, nil
}

// Close closes the device. Arrays that C holds stay valid.
func (d *spool_device) Close() error {
	err := d.device.Close()
	if d.jpegs != nil {
		err = errors.Join(err, d.jpegs.Close())
	}
	if d.videos != nil {
		err = errors.Join(err, unlessLeaked(d.videos.Close()))
	}
	return errors.Join(err, unlessLeaked(d.memory.Close()))
}

// unlessLeaked returns the error of a Close, unless it says that C holds results: the last of them
// frees the rest.
func unlessLeaked(err error) error {
	if errors.Is(err, spool.ErrLeaked) {
		return nil
	}
	return err
}

// frames returns the device's decoder of videos, which is opened once.
func (d *spool_device) frames() (*video.Device, error) {
	d.opening.Lock()
	defer d.opening.Unlock()
	var err error
	if d.videos == nil {
		d.videos, err = video.NewDevice(video.DeviceOptions{Device: d.Name()})
	}
	return d.videos, err
}

// copyAlign is the alignment of arrays that are copied together.
const copyAlign = 64

// pack copies arrays of C side by side into pinned memory.
func (d *spool_device) pack(ctx context.Context, views []C.spool_array_view) (*spool.Buffer, []transfer.ArrayAt,
	error) {
	parts, all, size := make([]transfer.ArrayAt, len(views)), make([][]byte, len(views)), 0
	for i := range views {
		data, desc, err := arrayOf(&views[i])
		if n, ok := desc.Bytes(); err == nil && (!ok || n != len(data)) {
			err = fmt.Errorf("%w: %v in %d bytes", spool.ErrShape, desc, len(data))
		}
		if err != nil {
			return nil, nil, err
		}
		parts[i], all[i] = transfer.ArrayAt{Offset: size, Desc: desc}, data
		size += (len(data) + copyAlign - 1) &^ (copyAlign - 1)
	}
	buffer, err := d.memory.Get(ctx, max(size, copyAlign))
	if err != nil {
		return nil, nil, err
	}
	for i, data := range all {
		copy(buffer.Bytes()[parts[i].Offset:], data)
	}
	return buffer, parts, nil
}

// copyAll copies arrays of C to the device together, and passes them to C.
func (d *spool_device) copyAll(ctx context.Context, views []C.spool_array_view, to []*C.spool_array) error {
	buffer, parts, err := d.pack(ctx, views)
	if err != nil {
		return err
	}
	b, err := d.queue(ctx, func(ctx context.Context) (*transfer.Batch, error) {
		return d.copier.CopyBuffer(ctx, buffer, parts...)
	})
	if err != nil {
		buffer.Release()
		return err
	}
	return d.hand(b, to)
}

// queue calls work, which waits for a place in the ring, for some time.
func (d *spool_device) queue(ctx context.Context, work func(context.Context) (*transfer.Batch, error)) (*transfer.Batch,
	error) {
	bounded, end := context.WithTimeout(ctx, ringTimeout)
	defer end()
	b, err := work(bounded)
	if err != nil && bounded.Err() != nil && ctx.Err() == nil {
		err = invalid.Errorf("all %d copies of the ring on %s are held: release some, or set a larger ring", d.ring,
			d.Name())
	}
	return b, err
}

// hand passes the arrays of a batch to C.
func (d *spool_device) hand(b *transfer.Batch, to []*C.spool_array) (err error) {
	view, o := d.hold(b)
	if to[0], err = handArray(view, o); err != nil {
		return err
	}
	for i := 1; i < len(to) && err == nil; i++ {
		to[i], err = o.array(i)
	}
	if err != nil {
		for i := range to {
			C.spool_array_release(to[i])
			to[i] = nil
		}
	}
	return err
}

//export goDeviceOpen
func goDeviceOpen(json *C.char, opened *C.uintptr_t, e *C.spool_error) C.int32_t {
	return guard(e, "open", func() error {
		d, err := openTransfer(json)
		if err == nil {
			*opened = register(d)
		}
		return err
	})
}

//export goDeviceCopy
func goDeviceCopy(handle C.uintptr_t, views *C.spool_array_view, n C.size_t, cancel C.uintptr_t,
	arrays **C.spool_array, e *C.spool_error) C.int32_t {
	return guard(e, "transfer", func() error {
		if n == 0 {
			return invalid.Errorf("no arrays to copy")
		}
		return use(handle, func(ctx context.Context, d *spool_device) error {
			return withCancel(ctx, cancel, func(ctx context.Context) error {
				to := unsafe.Slice(arrays, n)
				clear(to)
				return d.copyAll(ctx, unsafe.Slice(views, n), to)
			})
		})
	})
}

//export goDeviceClose
func goDeviceClose(handle C.uintptr_t) {
	guard(nil, "close", func() error { return release[*spool_device](handle) })
}
