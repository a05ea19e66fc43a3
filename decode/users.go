package decode

import (
	"fmt"
	"sync"

	"github.com/spoolmedia/spool"
)

// users counts the users of a resource that is closed. The last one ends the resource: Close, or a user that remained
// after Close.
type users struct {
	what string // what users are, for errors
	end  func() error

	mu     sync.Mutex
	count  int
	closed bool
}

// add adds a user. It reports false after close.
func (u *users) add() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.closed {
		return false
	}
	u.count++
	return true
}

// leave removes a user.
func (u *users) leave() {
	u.mu.Lock()
	u.count--
	last := u.closed && u.count == 0
	u.mu.Unlock()
	if last {
		_ = u.end() // no caller could receive the error
	}
}

// close admits no more users. Users that remain are ErrLeaked. A second close does nothing more.
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
