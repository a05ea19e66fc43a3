package transfer

import (
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/cuda"
	"github.com/spoolmedia/spool/cbridge/cuda/kernels"
)

// lease holds a device's context for all who use it: the device itself, copiers, and pinned memory.
type lease struct {
	*opened
	cleanup runtime.Cleanup

	mu     sync.Mutex
	closed bool // by the device
	users  int  // others
}

// opened is what a lease ends, also one that is forgotten.
type opened struct {
	context *cuda.Context

	compiling sync.Mutex
	compiled  *kernels.Kernels // nil until somebody needs them
}

func newLease(c *cuda.Context) *lease {
	l := &lease{opened: &opened{context: c}}
	l.cleanup = runtime.AddCleanup(l, func(o *opened) { _ = o.end() }, l.opened)
	return l
}

// kernels are those of the device, compiled when they are first asked for.
func (o *opened) kernels() (*kernels.Kernels, error) {
	o.compiling.Lock()
	defer o.compiling.Unlock()
	var err error
	if o.compiled == nil {
		o.compiled, err = kernels.Load(o.context)
	}
	return o.compiled, err
}

func (o *opened) end() (err error) {
	if o.compiled != nil {
		err = o.compiled.Close()
	}
	return errors.Join(err, o.context.Close())
}

// retain adds a user. It reports false when the device is closed.
func (l *lease) retain() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return false
	}
	l.users++
	return true
}

// release takes a user off. The last one, of a closed device, ends the context.
func (l *lease) release() error {
	l.mu.Lock()
	l.users--
	last := l.closed && l.users == 0
	l.mu.Unlock()
	if last {
		return l.finish()
	}
	return nil
}

func (l *lease) close() error {
	l.mu.Lock()
	l.closed = true
	users := l.users
	l.mu.Unlock()
	if users > 0 {
		return fmt.Errorf("%w: %d users of the device", spool.ErrLeaked, users)
	}
	return l.finish()
}

func (l *lease) finish() error {
	l.cleanup.Stop()
	return l.end()
}
