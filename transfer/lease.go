package transfer

import (
	"fmt"
	"runtime"
	"sync"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/cuda"
)

// lease holds a device's context for all who use it: the device itself, copiers, and pinned memory.
type lease struct {
	context *cuda.Context
	cleanup runtime.Cleanup

	mu     sync.Mutex
	closed bool // by the device
	users  int  // others
}

func newLease(c *cuda.Context) *lease {
	l := &lease{context: c}
	l.cleanup = runtime.AddCleanup(l, func(c *cuda.Context) { _ = c.Close() }, c)
	return l
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
		return l.end()
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
	return l.end()
}

func (l *lease) end() error {
	l.cleanup.Stop()
	return l.context.Close()
}
