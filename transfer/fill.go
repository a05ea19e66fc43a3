package transfer

import (
	"context"
	"fmt"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/cuda"
	"github.com/spoolmedia/spool/cbridge/cuda/kernels"
)

// Fill is Copy for batches that a library writes on a CUDA device itself. queue receives a slab's memory, with room for
// the parts, and the copier's stream. It queues the writes there and returns. It is not called concurrently.
//
//   - Ownership: release is called once the batch is complete. On error it is not called, and the caller's memory is no
//     longer in use: work that queue queued before it failed has completed.
//   - Errors: those of Copy and of queue; spool.ErrOptions on "host" and "pinned".
func (c *Copier) Fill(ctx context.Context, parts []ArrayAt, release func(),
	queue func(memory uint64, s spool.DeviceStream) error) (*Batch, error) {
	if c.ring.lease == nil {
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
	return c.start(ctx, load{size: size, parts: parts, release: release,
		queue: func(s *slab) error { return queue(uint64(s.memory), spool.DeviceStream(c.ring.upload.stream)) }})
}

// work is a conversion of bytes after their copy.
type work struct {
	out    spool.Desc
	device func(k *kernels.Kernels, s cuda.Stream, in, out cuda.Pointer) error
	host   func(in, out []byte) error
}

// converted returns a load of converted bytes: on a CUDA device the device converts them, on others Copy does.
func (c *Copier) converted(in []byte, release func(), w work) (load, error) {
	size, ok := w.out.Bytes()
	if !ok {
		return load{}, fmt.Errorf("%w: %v", spool.ErrShape, w.out)
	}
	r := c.ring
	return load{size: size, parts: []ArrayAt{{Desc: w.out}}, host: in, release: release,
		queue: func(s *slab) error {
			k, err := r.lease.kernels()
			if err != nil {
				return err
			}
			if err := r.grow(&r.staging, len(in)); err != nil {
				return err
			}
			if err := r.lease.context.ToDevice(r.staging.memory, in, r.upload.stream); err != nil {
				return err
			}
			return w.device(k, r.upload.stream, r.staging.memory, s.memory)
		},
		onHost: func(s *slab) ([]byte, func(), error) {
			out, err := r.hostMemory(s, size)
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

// hostMemory returns n bytes of a slab in host memory.
func (r *ring) hostMemory(s *slab, n int) ([]byte, error) {
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

// compile loads the device's kernels in advance, so that no batch waits for them.
func (c *Copier) compile() error {
	r := c.ring
	r.mu.Lock()
	err := r.state()
	r.mu.Unlock()
	if err == nil && r.lease != nil {
		_, err = r.lease.kernels()
		err = r.named(err)
	}
	return err
}
