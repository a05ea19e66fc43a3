package decode

import (
	"fmt"
	"sync"

	"github.com/spoolmedia/spool"
)

// users counts those who use what is closed: who comes last ends it, be that Close or a user that was left behind.
type users struct {
	what string // they are, for errors
	end  func() error

	mu     sync.Mutex
	count  int
	closed bool
}

// add counts one more. It reports false after close.
func (u *users) add() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.closed {
		return false
	}
	u.count++
	return true
}

// leave takes one off.
func (u *users) leave() {
	u.mu.Lock()
	u.count--
	last := u.closed && u.count == 0
	u.mu.Unlock()
	if last {
		_ = u.end() // nobody is left to be told
	}
}

// close lets nobody in any more. Those who are in are ErrLeaked. A second close does nothing more.
func (u *users) close() error {
	u.mu.Lock()
	first := !u.closed
	u.closed = true
	count := u.count
	u.mu.Unlock()
	switch {
	case count > 0:
		return fmt.Errorf("%w: %d %s", spool.ErrLeaked, count, u.what)
	case first:
		return u.end()
	}
	return nil
}
