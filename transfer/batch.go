package transfer

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/cbridge/cuda"
)

// Stream is a stream of the consumer's on the device: a CUstream, of whatever library. 0 is the default stream. 2, the
// calling thread's own, is for goroutines that are locked to their thread from WaitOn to Release.
type Stream uintptr

// Array is an array on the device, or in the host's memory.
type Array struct {
	Desc    spool.Desc
	Pointer uint64  // a CUdeviceptr, of a "cuda:N" device
	Bytes   []byte  // of others
	Device  *Device // where it is; nil is "host"
}

// Batch is a batch on its device, with what batch.Batch says of its samples. It is owned by who received it, and ends
// with Release. It belongs to one goroutine at a time.
type Batch struct {
	Samples      []batch.Sample // of a batch; nil of a buffer
	Padded       int
	Epoch, Index int

	*cargo
	streams  []cuda.Stream // in which this owner uses it
	released atomic.Bool
}

// cargo is what the owners of a batch share.
type cargo struct {
	copier  *Copier // which is not forgotten as long as there are batches
	slab    *slab
	flight  *flight // of the copy to the device; nil where there is none
	release func()  // of the host's memory, where that is the batch
	arrays  []Array
	owners  atomic.Int32
}

// Arrays are the batch's arrays, valid until Release, and on a CUDA device not before WaitOn or Wait. The first begins at a
// multiple of 64 bytes, on a CUDA device of 256.
func (b *Batch) Arrays() []Array {
	b.check("Arrays")
	return slices.Clone(b.arrays)
}

// Wait waits until the batch is on the device, or ctx ends. An error of the device's says that the batch is not there.
func (b *Batch) Wait(ctx context.Context) error {
	b.check("Wait")
	if b.flight == nil {
		return nil
	}
	select {
	case <-b.flight.done:
		return b.flight.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// WaitOn has what is queued in the stream from now on wait until the batch is on the device. The host does not wait.
// Release keeps the batch until the stream has done what is queued in it by then: name every stream that uses the batch, and
// keep it until Release.
// It does nothing on "host" and "pinned".
func (b *Batch) WaitOn(s Stream) error {
	b.check("WaitOn")
	if b.flight == nil {
		return nil
	}
	select {
	case <-b.flight.done:
		if b.flight.err != nil {
			return b.flight.err
		}
	default:
	}
	if err := b.copier.ring.held.context.Follow(cuda.Stream(s), b.flight.event); err != nil {
		return b.copier.ring.named(err)
	}
	b.usedBy(cuda.Stream(s))
	return nil
}

func (b *Batch) usedBy(s cuda.Stream) {
	if !slices.Contains(b.streams, s) {
		b.streams = append(b.streams, s)
	}
}

// Share makes another owner of the batch, for another goroutine. Each calls WaitOn for its own streams, and Release.
func (b *Batch) Share() *Batch {
	b.check("Share")
	b.owners.Add(1)
	return &Batch{Samples: b.Samples, Padded: b.Padded, Epoch: b.Epoch, Index: b.Index, cargo: b.cargo}
}

// Release gives the batch's memory back, to be called once everything that uses it is queued in streams that WaitOn
// was called for, or done. It does not wait: a later copy into that memory does, on the device. It panics when called twice.
func (b *Batch) Release() {
	if b.released.Swap(true) {
		panic("transfer: Batch released more than once")
	}
	r := b.copier.ring
	for _, s := range b.streams {
		r.fence(b.slab, s)
	}
	if b.owners.Add(-1) > 0 {
		return
	}
	if b.flight == nil {
		b.release()
	} else {
		r.unhold(b.flight)
	}
	r.give(b.slab)
}

// Fetch copies array i back to the host, behind what the streams of WaitOn have to do by now, and waits for it. The
// buffer, of the pool's memory and described as the array, is the caller's. When ctx ends first the copy goes on, and its
// buffer goes back to the pool afterwards; of memory that is not pinned the driver itself waits, whatever ctx does.
func (b *Batch) Fetch(ctx context.Context, i int, pool *spool.Pool) (*spool.Buffer, error) {
	b.check("Fetch")
	a, err := b.array(i)
	if err != nil {
		return nil, err
	}
	n, _ := a.Desc.Bytes()
	buffer, err := pool.Get(ctx, n)
	if err != nil {
		return nil, err
	}
	buffer.SetDesc(a.Desc)
	if b.flight == nil {
		copy(buffer.Bytes(), a.Bytes)
		return buffer, nil
	}
	r := b.copier.ring
	var settled atomic.Bool // whose the buffer is: of who comes second
	f, err := r.fetch(b, cuda.Pointer(a.Pointer), buffer.Bytes(), func() {
		if settled.Swap(true) {
			buffer.Release()
		}
	})
	if err != nil {
		buffer.Release()
		return nil, err
	}
	select {
	case <-f.done:
	case <-ctx.Done():
		if !settled.Swap(true) {
			return nil, ctx.Err()
		}
		<-f.done
	}
	if f.err != nil {
		buffer.Release()
		return nil, f.err
	}
	return buffer, nil
}

func (b *Batch) array(i int) (Array, error) {
	if i < 0 || i >= len(b.arrays) {
		return Array{}, fmt.Errorf("%w: no array %d: there are %d", spool.ErrOptions, i, len(b.arrays))
	}
	return b.arrays[i], nil
}

func (b *Batch) check(op string) {
	if b.released.Load() {
		panic("transfer: " + op + " of a released Batch")
	}
}
