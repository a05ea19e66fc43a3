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

// lease counts the users of a device's context: the device itself, copiers, and pinned memory.
type lease struct {
	*deviceContext
	cleanup runtime.Cleanup

	mu     sync.Mutex
	closed bool // by the device
	users  int  // other users
}

// deviceContext is the state that a lease frees, also if it is garbage collected.
type deviceContext struct {
	context *cuda.Context

	compiling sync.Mutex
	compiled  *kernels.Kernels // nil until first needed
}

func newLease(c *cuda.Context) *lease {
	l := &lease{deviceContext: &deviceContext{context: c}}
	l.cleanup = runtime.AddCleanup(l, func(o *deviceContext) { _ = o.end() }, l.deviceContext)
	return l
}

// kernels returns the device's kernels, compiled on first use.
func (o *deviceContext) kernels() (*kernels.Kernels, error) {
	o.compiling.Lock()
	defer o.compiling.Unlock()
	var err error
	if o.compiled == nil {
		o.compiled, err = kernels.Load(o.context)
	}
	return o.compiled, err
}

func (o *deviceContext) end() (err error) {
	if o.compiled != nil {
		err = o.compiled.Close()
	}
	return errors.Join(err, o.context.Close())
}

// retain adds a user. It returns false if the device is closed.
func (l *lease) retain() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return false
	}
	l.users++
	return true
}

// release removes a user. The last user of a closed device frees the context.
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
