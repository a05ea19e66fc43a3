package transfer

import (
	"context"
	"fmt"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/cuda"
	"github.com/spoolmedia/spool/cbridge/cuda/kernels"
)

// Fill is Copy for what a library makes on a CUDA device itself: queue is given a slab's memory, with room for the parts, and
// the copier's stream, queues there what writes them, and returns. It is not called concurrently.
//
//   - Ownership: release is called once the batch is there. On error it is not, and then the caller's memory is in use
//     no more: what queue queued before it failed is waited for.
//   - Errors: those of Copy and of queue; spool.ErrOptions on "host" and "pinned".
func (c *Copier) Fill(ctx context.Context, parts []Part, release func(), queue func(memory uint64, s Stream) error) (*Batch, error) {
	if c.ring.held == nil {
		return nil, fmt.Errorf("%w: %s has no streams", spool.ErrOptions, c.ring.device.Name())
	}
	size := 0
	for _, p := range parts {
		n, ok := p.Desc.Bytes()
		if !ok || p.Offset < 0 || p.Offset+n < p.Offset {
			return nil, fmt.Errorf("%w: %v at byte %d", spool.ErrShape, p.Desc, p.Offset)
		}
		size = max(size, p.Offset+n)
	}
	return c.bring(ctx, load{size: size, parts: parts, release: release,
		queue: func(s *slab) error { return queue(uint64(s.memory), Stream(c.ring.there.stream)) }})
}

// work is what bytes become behind their copy.
type work struct {
	out    spool.Desc
	device func(k *kernels.Kernels, s cuda.Stream, in, out cuda.Pointer) error
	host   func(in, out []byte) error
}

// converted is a load of what work makes of bytes: on a CUDA device there, on others here and now.
func (c *Copier) converted(in []byte, release func(), w work) (load, error) {
	size, ok := w.out.Bytes()
	if !ok {
		return load{}, fmt.Errorf("%w: %v", spool.ErrShape, w.out)
	}
	r := c.ring
	return load{size: size, parts: []Part{{Desc: w.out}}, host: in, release: release,
		queue: func(s *slab) error {
			k, err := r.held.kernels()
			if err != nil {
				return err
			}
			if err := r.grow(&r.stage, len(in)); err != nil {
				return err
			}
			if err := r.held.context.ToDevice(r.stage.memory, in, r.there.stream); err != nil {
				return err
			}
			return w.device(k, r.there.stream, r.stage.memory, s.memory)
		},
		stay: func(s *slab) ([]byte, func(), error) {
			out, err := r.room(s, size)
			if err == nil {
				err = w.host(in, out)
			}
			if err != nil {
				return nil, nil, err
			}
			release()
			return out, func() {}, nil
		}}, nil
}

// room gives n bytes of a slab in the host's memory.
func (r *ring) room(s *slab, n int) ([]byte, error) {
	if n > len(s.host) {
		if err := r.freeHost(s); err != nil {
			return nil, err
		}
		memory, err := r.memory.Alloc(n)
		if err != nil {
			return nil, err
		}
		s.host = memory
	}
	return s.host[:n:n], nil
}

func (r *ring) freeHost(s *slab) (err error) {
	if s.host != nil {
		err = r.memory.Free(s.host)
		s.host = nil
	}
	return err
}

// compile has the device's kernels ready, so that no batch waits for them.
func (c *Copier) compile() error {
	r := c.ring
	r.mu.Lock()
	err := r.state()
	r.mu.Unlock()
	if err == nil && r.held != nil {
		_, err = r.held.kernels()
		err = r.named(err)
	}
	return err
}
