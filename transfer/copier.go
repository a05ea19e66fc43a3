package transfer

import (
	"context"
	"fmt"
	"runtime"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
)

// CopierOptions are a Copier's settings.
type CopierOptions struct {
	// Slabs is the largest number of batches on the device: those that the consumer holds, and those in flight. 0 means 3:
	// one in use, one ready, one in flight. With 1, no copy overlaps the use of another batch.
	Slabs int
	// SlabBytes is the device memory that each slab allocates immediately. 0 means none: a slab is allocated when it is
	// first needed, and again for a batch that is larger.
	SlabBytes int
}

// Copier copies batches to a device, in the order of the calls, on its own stream. Its ring of slabs provides
// back-pressure: when the consumer holds all slabs, Copy waits. On "host" and "pinned" batches stay in their memory,
// and everything else is the same.
//
// It is safe for concurrent use. While copies are in flight, a goroutine waits for them, which occupies a thread.
type Copier struct {
	ring    *ring
	cleanup runtime.Cleanup
}

// CopierStats holds a copier's counters.
type CopierStats struct {
	Batches   int64 // copied to the device, or passed on
	Bytes     int64 // copied to the device: each byte of a batch once
	Fetched   int64 // bytes copied back
	Waits     int64 // batches that waited for a free slab
	SlabBytes int64 // device memory in use
}

// NewCopier makes a copier. The caller owns it and MUST Close it. The device may be closed before the copier. Errors
// are spool.ErrOptions, spool.ErrClosed for a closed device, and those of the device.
func NewCopier(d *Device, o CopierOptions) (*Copier, error) {
	if o.Slabs < 0 || o.SlabBytes < 0 {
		return nil, fmt.Errorf("%w: a ring of %d slabs of %d bytes", spool.ErrOptions, o.Slabs, o.SlabBytes)
	}
	if o.Slabs == 0 {
		o.Slabs = 3
	}
	r, err := newRing(d, o)
	if err != nil {
		return nil, err
	}
	c := &Copier{ring: r}
	c.cleanup = runtime.AddCleanup(c, func(r *ring) { go func() { _ = r.close() }() }, r) // close may wait for copies
	return c, nil
}

// Copy queues the copy of a batch to the device. It returns immediately, or as soon as a slab is free. The caller owns
// the result; use it after [Batch.WaitOn] or [Batch.Wait].
//
//   - Ownership: without an error, the copier owns b and releases it after the copy. On error b still belongs to the
//     caller, and nothing reads it.
//   - Cancellation: ctx only ends the wait for a slab, with its error.
//   - Errors: spool.ErrClosed; spool.ErrOutOfMemory if the device has no memory for a slab; else a *spool.Error of
//     class device. Once the device is lost, every call returns the first error that reported it.
//   - Cost: the device copies the batch's bytes once, and a few calls of the driver queue work. If the next slab has to
//     grow, the call waits for the previous uses of the slab, and allocates memory.
func (c *Copier) Copy(ctx context.Context, b *batch.Batch) (*Batch, error) {
	parts := make([]ArrayAt, len(b.Fields()))
	for f := range parts {
		parts[f] = ArrayAt{Offset: b.FieldOffset(f), Desc: b.FieldDesc(f)}
	}
	return c.startBatch(ctx, b, c.plain(b.Memory(), parts, b.Release))
}

// startBatch is start with the sample metadata of the batch.
func (c *Copier) startBatch(ctx context.Context, b *batch.Batch, l load) (*Batch, error) {
	made, err := c.start(ctx, l)
	if err != nil {
		return nil, err
	}
	made.Samples, made.Padded, made.Epoch, made.Index = b.Samples, b.Padded, b.Epoch, b.Index
	return made, nil
}

// ArrayAt is one of several arrays in a buffer.
type ArrayAt struct {
	Offset int // in bytes
	Desc   spool.Desc
}

// CopyBuffer is Copy for a buffer with several arrays: pixels, labels, lengths. They are copied together, including
// gaps between them, and have the same offsets on the device. Without parts there is one, with the buffer's Desc. Parts
// that exceed the buffer are spool.ErrShape.
func (c *Copier) CopyBuffer(ctx context.Context, buffer *spool.Buffer, parts ...ArrayAt) (*Batch, error) {
	if len(parts) == 0 {
		parts = []ArrayAt{{Desc: buffer.Desc()}}
	}
	end := 0
	for _, p := range parts {
		n, ok := p.Desc.Bytes()
		if !ok || p.Offset < 0 || p.Offset > buffer.Len() || n > buffer.Len()-p.Offset {
			return nil, fmt.Errorf("%w: %v at byte %d of %d", spool.ErrShape, p.Desc, p.Offset, buffer.Len())
		}
		end = max(end, p.Offset+n)
	}
	return c.start(ctx, c.plain(buffer.Bytes()[:end], parts, buffer.Release))
}

// plain returns a load that copies bytes unchanged.
func (c *Copier) plain(host []byte, parts []ArrayAt, release func()) load {
	r := c.ring
	return load{size: len(host), parts: parts, host: host, release: release,
		queue:  func(s *slab) error { return r.lease.context.ToDevice(s.memory, host, r.upload.stream) },
		onHost: func(*slab) ([]byte, func(), error) { return host, release, nil }}
}

// load describes the source of a batch.
type load struct {
	size    int // bytes in the slab
	parts   []ArrayAt
	host    []byte // input that is read until the batch is ready
	release func() // releases host

	queue  func(s *slab) error                            // on a CUDA device: queues the work that fills the slab
	onHost func(s *slab) (in []byte, end func(), e error) // on others: returns the batch's memory and its release
}

// start takes a slab and fills it.
func (c *Copier) start(ctx context.Context, l load) (*Batch, error) {
	if l.size == 0 {
		return nil, fmt.Errorf("%w: a batch of no bytes", spool.ErrShape)
	}
	s, err := c.ring.acquire(ctx)
	if err != nil {
		return nil, err
	}
	b := &Batch{shared: &shared{copier: c, slab: s}}
	b.owners.Store(1)
	var memory []byte
	if c.ring.lease == nil {
		memory, b.release, err = l.onHost(s)
	} else {
		b.flight, err = c.ring.send(s, &l)
	}
	if err != nil {
		c.ring.put(s)
		return nil, err
	}
	c.ring.batches.Add(1)
	for _, p := range l.parts {
		a := Array{Desc: p.Desc, Device: c.ring.device}
		if n, _ := p.Desc.Bytes(); c.ring.lease == nil {
			a.Bytes = memory[p.Offset : p.Offset+n : p.Offset+n]
		} else {
			a.Pointer = uint64(s.memory) + uint64(p.Offset)
		}
		b.arrays = append(b.arrays, a)
	}
	return b, nil
}

// Stats returns the counters.
func (c *Copier) Stats() CopierStats {
	r := c.ring
	return CopierStats{Batches: r.batches.Load(), Bytes: r.bytes.Load(), Fetched: r.fetched.Load(), Waits: r.waits.Load(),
		SlabBytes: r.slabBytes.Load()}
}

// Close waits for the copies in flight and frees the device memory. Waiting and later calls fail with ErrClosed.
// Batches that the consumer holds stay valid; Close then returns ErrLeaked, and the last Release frees the rest. A
// second Close returns the same. It also returns the failure of the device.
func (c *Copier) Close() error {
	c.cleanup.Stop()
	return c.ring.close()
}
