//go:build cuda

package gorgonia

import (
	"errors"
	"runtime"
	"sync"

	"gorgonia.org/cu"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/transfer"
)

// Context is a cu.Context on the primary context of a device, which holds the batches. Memory, streams and modules from
// a context of cu.NewContext cannot be used with them. Its methods are cu's, executed one by one on a thread of its
// own.
type Context struct {
	*cu.Ctx
	device cu.Device
	stop   chan struct{}
	ended  chan error
	close  func() error
}

var _ cu.Context = (*Context)(nil)

// NewContext makes a context. The caller owns it and MUST Close it, after everything that was made in it. It is
// spool.ErrOptions for a device that is not a CUDA device.
func NewContext(d *transfer.Device) (*Context, error) {
	if d.Kind() != transfer.CUDA {
		return nil, errors.Join(spool.ErrOptions, errors.New("gorgonia: "+d.Name()+" is no CUDA device"))
	}
	device, err := cu.GetDevice(d.Number())
	if err != nil {
		return nil, failure("open", err)
	}
	primary, err := device.RetainPrimaryCtx()
	if err != nil {
		return nil, failure("open", err)
	}
	c := &Context{Ctx: cu.CtxFromCUContext(device, primary, cu.SchedAuto), device: device,
		stop: make(chan struct{}), ended: make(chan error)}
	// Its finalizer would destroy the context that all libraries of the process share.
	runtime.SetFinalizer(c.Ctx, nil) //nolint:forbidigo // takes one away
	c.close = sync.OnceValue(func() error {
		close(c.stop)
		return errors.Join(<-c.ended, c.device.ReleasePrimaryCtx())
	})
	ready := make(chan error)
	go c.work(ready)
	if err := <-ready; err != nil {
		return nil, failure("open", errors.Join(err, device.ReleasePrimaryCtx()))
	}
	return c, nil
}

// work executes the calls of the methods.
func (c *Context) work(ready chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := cu.PushCurrentCtx(c.CUDAContext()); err != nil {
		ready <- err
		return
	}
	close(ready)
	for {
		select {
		case do := <-c.Work():
			c.ErrChan() <- do()
		case <-c.stop:
			_, err := cu.PopCurrentCtx()
			c.ended <- err
			return
		}
	}
}

// Run does nothing: the context runs since it was made.
func (c *Context) Run(failed chan error) error {
	if failed != nil {
		close(failed)
	}
	return nil
}

// Close releases the primary context. No method except Close may be called afterwards; a second Close returns the same.
func (c *Context) Close() error { return failure("close", c.close()) }

func failure(op string, err error) error {
	if err == nil {
		return nil
	}
	return &spool.Error{Op: op, Class: spool.ErrDevice, Lib: "cu", Text: err.Error(), Err: err}
}
