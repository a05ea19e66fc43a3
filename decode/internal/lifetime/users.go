package lifetime

import (
	"fmt"
	"sync"

	"github.com/spoolmedia/spool"
)

// Users counts the users of a resource that is closed. The last one ends the resource: Close, or a user that remained
// after Close.
type Users struct {
	What string // what users are, for errors
	End  func() error

	mu     sync.Mutex
	count  int
	closed bool
}

// Add adds a user. It reports false after close.
func (u *Users) Add() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.closed {
		return false
	}
	u.count++
	return true
}

// Leave removes a user.
func (u *Users) Leave() {
	u.mu.Lock()
	u.count--
	last := u.closed && u.count == 0
	u.mu.Unlock()
	if last {
		_ = u.End() // no caller could receive the error
	}
}

// Close admits no more users. Users that remain are ErrLeaked. A second close does nothing more.
func (u *Users) Close() error {
	u.mu.Lock()
	first := !u.closed
	u.closed = true
	count := u.count
	u.mu.Unlock()
	switch {
	case count > 0:
		return fmt.Errorf("%w: %d %s", spool.ErrLeaked, count, u.What)
	case first:
		return u.End()
	}
	return nil
}
