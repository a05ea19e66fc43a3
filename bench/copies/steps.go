package copies

import (
	"context"
	"fmt"
	"time"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/cuda"
	"github.com/spoolmedia/spool/transfer"
)

// steps returns the steps for this kind of device.
func (r *rig) steps() []step {
	hold := step{name: "hold", engine: r.pinning(), run: r.hold}
	if r.device.Kind() != transfer.CUDA {
		to := make([]byte, r.size)
		return []step{
			{name: "bare-copy", engine: "memmove", floor: "bare-copy", moves: true,
				run: func(_ context.Context, batches int) error {
					for range batches {
						copy(to, r.host.Bytes())
					}
					return nil
				}},
			{name: "pass", engine: "spool", floor: "bare-copy", run: func(ctx context.Context, batches int) error {
				return r.copyBatches(ctx, batches, r.fast, nil)
			}},
			hold,
		}
	}
	info := r.device.Info()
	bare := fmt.Sprintf("%s, compute capability %s", info.Model, info.Capability)
	floor := func(buffers int, back bool) func(context.Context, int) error {
		return func(_ context.Context, batches int) error {
			return r.bare.Copies(r.context, r.memory, r.host.Bytes()[:buffers*r.size], buffers, back, batches, r.stream)
		}
	}
	return []step{
		{name: "bare-h2d", engine: bare, floor: "bare-h2d", moves: true, run: floor(inFlight, false)},
		{name: "h2d", engine: "spool, " + r.pinning(), floor: "bare-h2d", moves: true,
			run: func(ctx context.Context, batches int) error {
				return r.copyBatches(ctx, batches, r.fast, nil)
			}},
		{name: "h2d-pageable", engine: "spool, plain", floor: "bare-h2d", moves: true,
			run: func(ctx context.Context, batches int) error {
				return r.copyBatches(ctx, batches, r.plain, nil)
			}},
		{name: "bare-d2h", engine: bare, floor: "bare-d2h", moves: true, run: floor(1, true)},
		{name: "bare-d2h-each", engine: bare + ", waits for each", floor: "bare-d2h", moves: true,
			run: func(ctx context.Context, batches int) error {
				for range batches {
					if err := floor(1, true)(ctx, 1); err != nil {
						return err
					}
				}
				return nil
			}},
		{name: "get", engine: "spool's pool", run: r.get},
		{name: "d2h", engine: "spool, " + r.pinning(), floor: "bare-d2h", moves: true, run: r.copyBack},
		hold,
	}
}

// overlap returns two steps: the consumer alone, and the consumer with the copies that it waits for.
func (r *rig) overlap(d time.Duration) []step {
	finish := func() error { return r.context.Finish(r.stream) }
	return []step{
		{name: "use", engine: "a kernel that spins", run: func(_ context.Context, batches int) error {
			for range batches {
				if err := r.spin(r.memory, d); err != nil {
					return err
				}
			}
			return finish()
		}},
		{name: "overlap", engine: "spool, and the kernel", run: func(ctx context.Context, batches int) error {
			err := r.copyBatches(ctx, batches, r.fast, func(b *transfer.Batch) error {
				if err := b.WaitOn(spool.DeviceStream(r.stream)); err != nil {
					return err
				}
				return r.spin(cuda.Pointer(b.Arrays()[0].Pointer), d)
			})
			if err != nil {
				return err
			}
			return finish()
		}},
	}
}

// pinning returns how memory is pinned on this machine.
func (r *rig) pinning() string {
	switch s := r.pinned.Stats(); {
	case s.Registered > 0:
		return "registered"
	case s.Locked > 0:
		return "locked"
	}
	return "plain"
}
