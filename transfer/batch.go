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

// Array is an array in the memory of a device or of the host.
type Array struct {
	Desc    spool.Desc
	Pointer uint64  // a CUdeviceptr, for a "cuda:N" device
	Bytes   []byte  // for other devices
	Device  *Device // where the array is; nil means "host"
}

// Batch is a batch on its device, with the sample metadata of batch.Batch. Its owner MUST Release it. It belongs to one
// goroutine at a time.
type Batch struct {
	Samples      []batch.Sample // nil if it was made from a buffer
	Padded       int
	Epoch, Index int

	*shared
	streams  []cuda.Stream // the streams in which this owner uses it
	released atomic.Bool
}

// shared is the state that the owners of a batch share.
type shared struct {
	copier  *Copier // keeps the copier reachable as long as there are batches
	slab    *slab
	flight  *flight // the copy to the device; nil if there is none
	release func()  // releases the host memory, if the batch is in it
	arrays  []Array
	owners  atomic.Int32
}

// Arrays returns the batch's arrays. They are valid until Release; on a CUDA device their content is valid after WaitOn
// or Wait. The first one is aligned to 64 bytes, on a CUDA device to 256.
func (b *Batch) Arrays() []Array {
	b.check("Arrays")
	return slices.Clone(b.arrays)
}

// Wait waits until the batch is on the device, or ctx ends. The error is that of ctx, or of the device; the batch is
// not there then.
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

// WaitOn makes all work that is queued in the stream from now on wait until the batch is on the device. The host does
// not wait. Release keeps the batch until the stream has completed the work that is queued by then. Call WaitOn for
// every stream that uses the batch, and keep each stream until Release. It does nothing on "host" and "pinned".
func (b *Batch) WaitOn(s spool.DeviceStream) error {
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
	if err := b.copier.ring.lease.context.Follow(cuda.Stream(s), b.flight.event); err != nil {
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

// Retain returns another owner of the batch, for another goroutine. Each owner calls WaitOn for its own streams, and
// Release.
func (b *Batch) Retain() *Batch {
	b.check("Retain")
	b.owners.Add(1)
	return &Batch{Samples: b.Samples, Padded: b.Padded, Epoch: b.Epoch, Index: b.Index, shared: b.shared}
}

// Release releases the batch's memory. Call it once all uses of the batch are complete, or queued in streams of WaitOn.
// It does not wait: a later copy into that memory waits on the device. It panics if called twice.
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
		r.unref(b.flight)
	}
	r.put(b.slab)
}

// Fetch copies array i back to the host, after the current work of the streams of WaitOn, and waits for it. The buffer,
// with the pool's memory and the array's Desc, belongs to the caller. If ctx ends first, the copy continues, and its
// buffer goes back to the pool afterwards. For memory that is not pinned the driver itself waits, regardless of ctx.
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
	var settled atomic.Bool // set by the first of two; the second owns the buffer
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

// FetchInto is Fetch to memory of the caller, of exactly the array's size. It always waits for the copy.
func (b *Batch) FetchInto(i int, to []byte) error {
	b.check("FetchInto")
	a, err := b.array(i)
	if err != nil {
		return err
	}
	if n, _ := a.Desc.Bytes(); n != len(to) {
		return fmt.Errorf("%w: %v into %d bytes", spool.ErrShape, a.Desc, len(to))
	}
	if b.flight == nil {
		copy(to, a.Bytes)
		return nil
	}
	f, err := b.copier.ring.fetch(b, cuda.Pointer(a.Pointer), to, func() {})
	if err != nil {
		return err
	}
	<-f.done
	return f.err
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
