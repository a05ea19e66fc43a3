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
	// Slabs is how many batches there may be on the device: those that the consumer holds, and those on their way to
	// it. 0 means 3: one in use, one there, one under way. 1 has no copy beside the use of another batch.
	Slabs int
	// SlabBytes is how much of the device's memory a slab takes at once. 0 means none: a slab is made when it is first
	// needed, and anew when a batch is larger than all before.
	SlabBytes int
}

// Copier brings batches to a device, in the order in which they come, on a stream of its own. Its ring of slabs is the
// back-pressure: when the consumer holds all of them, Copy waits. On "host" and "pinned" batches stay where they are, and
// everything else is the same.
//
// It is safe for concurrent use; the order of batches is that of Copy's calls. While copies are under way a goroutine
// waits for them, and holds a thread.
type Copier struct {
	ring    *ring
	cleanup runtime.Cleanup
}

// CopierStats are a copier's counters.
type CopierStats struct {
	Batches   int64 // brought to the device, or passed on
	Bytes     int64 // copied to the device: each byte of a batch once
	Fetched   int64 // bytes copied back
	Waits     int64 // batches that waited for the consumer
	SlabBytes int64 // of the device's memory that is held
}

// NewCopier makes a copier. The caller owns it and MUST Close it. The device may be closed before it.
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
	c.cleanup = runtime.AddCleanup(c, func(r *ring) { go func() { _ = r.close() }() }, r) // it may wait for copies
	return c, nil
}

// Copy begins to bring a batch to the device and returns at once, or as soon as a slab is free. The result is owned by
// the caller; use it behind [Batch.WaitOn] or [Batch.Wait].
//
//   - Ownership: b is the copier's from here on, if there is no error, and is released when it is copied. On error it
//     is still the caller's, and nothing reads it.
//   - Cancellation: only waiting for a slab ends with ctx, with its error.
//   - Errors: spool.ErrClosed; spool.ErrOutOfMemory where the device has no room for a slab; else a *spool.Error of
//     class device. Once the device is lost, every call gives the error that said so.
//   - Cost: one copy of the batch's bytes, by the device; a few calls of the driver that only queue. A larger slab than
//     the one whose turn it is waits for what used that, and is allocated.
func (c *Copier) Copy(ctx context.Context, b *batch.Batch) (*Batch, error) {
	return c.bringBatch(ctx, b, c.plain(b.Bytes(), []Part{{Desc: b.Desc()}}, b.Release))
}

// bringBatch is bring with what the batch says of its samples.
func (c *Copier) bringBatch(ctx context.Context, b *batch.Batch, l load) (*Batch, error) {
	made, err := c.bring(ctx, l)
	if err != nil {
		return nil, err
	}
	made.Samples, made.Padded, made.Epoch, made.Index = b.Samples, b.Padded, b.Epoch, b.Index
	return made, nil
}

// Part is one of several arrays that lie in a buffer.
type Part struct {
	Offset int // in bytes
	Desc   spool.Desc
}

// CopyBuffer is Copy for a buffer in which several arrays lie: pixels, labels, lengths. They go as one copy, whatever
// lies between them, and have the same offsets on the device. Without parts there is one, as the buffer's Desc says.
// Parts that reach beyond the buffer are spool.ErrShape.
func (c *Copier) CopyBuffer(ctx context.Context, buffer *spool.Buffer, parts ...Part) (*Batch, error) {
	if len(parts) == 0 {
		parts = []Part{{Desc: buffer.Desc()}}
	}
	end := 0
	for _, p := range parts {
		n, ok := p.Desc.Bytes()
		if !ok || p.Offset < 0 || p.Offset > buffer.Len() || n > buffer.Len()-p.Offset {
			return nil, fmt.Errorf("%w: %v at byte %d of %d", spool.ErrShape, p.Desc, p.Offset, buffer.Len())
		}
		end = max(end, p.Offset+n)
	}
	return c.bring(ctx, c.plain(buffer.Bytes()[:end], parts, buffer.Release))
}

// plain is a load of bytes as they are.
func (c *Copier) plain(host []byte, parts []Part, release func()) load {
	r := c.ring
	return load{size: len(host), parts: parts, host: host, release: release,
		queue: func(s *slab) error { return r.held.context.ToDevice(s.memory, host, r.there.stream) },
		stay:  func(*slab) ([]byte, func(), error) { return host, release, nil }}
}

// load is what becomes a batch.
type load struct {
	size    int // bytes in the slab
	parts   []Part
	host    []byte // what is read until the batch is there
	release func() // of that

	queue func(s *slab) error                            // on a CUDA device: into the slab, in the stream there
	stay  func(s *slab) (in []byte, end func(), e error) // on others: where the batch lies, and its release
}

// bring takes a slab, and fills it.
func (c *Copier) bring(ctx context.Context, l load) (*Batch, error) {
	if l.size == 0 {
		return nil, fmt.Errorf("%w: a batch of no bytes", spool.ErrShape)
	}
	s, err := c.ring.take(ctx)
	if err != nil {
		return nil, err
	}
	b := &Batch{cargo: &cargo{copier: c, slab: s}}
	b.owners.Store(1)
	var memory []byte
	if c.ring.held == nil {
		memory, b.release, err = l.stay(s)
	} else {
		b.flight, err = c.ring.send(s, &l)
	}
	if err != nil {
		c.ring.give(s)
		return nil, err
	}
	c.ring.batches.Add(1)
	for _, p := range l.parts {
		a := Array{Desc: p.Desc, Device: c.ring.device}
		if n, _ := p.Desc.Bytes(); c.ring.held == nil {
			a.Bytes = memory[p.Offset : p.Offset+n : p.Offset+n]
		} else {
			a.Pointer = uint64(s.memory) + uint64(p.Offset)
		}
		b.arrays = append(b.arrays, a)
	}
	return b, nil
}

// Stats are the counters.
func (c *Copier) Stats() CopierStats {
	r := c.ring
	return CopierStats{Batches: r.batches.Load(), Bytes: r.bytes.Load(), Fetched: r.fetched.Load(), Waits: r.waits.Load(), SlabBytes: r.slabBytes.Load()}
}

// Close waits for the copies under way, frees the device's memory, and fails waiting and later calls with ErrClosed. Batches that
// the consumer holds stay valid; it returns ErrLeaked then, and the last Release frees the rest. A second Close says
// the same again. What the device failed with is returned as well.
func (c *Copier) Close() error {
	c.cleanup.Stop()
	return c.ring.close()
}
