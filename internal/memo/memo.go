// Package memo keeps the results of slow functions in memory, up to a limit in bytes.
package memo

import (
	"container/list"
	"context"
	"errors"
	"sync"
)

// Cache keeps results by key. Those used last are kept. It is safe for concurrent use.
type Cache[K comparable, V any] struct {
	limit int64
	size  func(V) int64

	mu      sync.Mutex
	used    int64
	entries map[K]*list.Element
	order   *list.List // of *entry, the last used in front
}

// entry is a result that was asked for, once done is closed.
type entry[K comparable, V any] struct {
	key   K
	done  chan struct{}
	value V
	err   error
}

// New makes a cache of at most so many bytes, as size says of its values.
func New[K comparable, V any](limit int64, size func(V) int64) *Cache[K, V] {
	return &Cache[K, V]{limit: limit, size: size, entries: map[K]*list.Element{}, order: list.New()}
}

// errPanicked is the error of a load that did not return.
var errPanicked = errors.New("memo: the function has panicked")

// Get gives the value that is kept under the key, or loads it. It waits, until ctx ends, while another call loads the same
// key; where that load fails, the next in line loads. loaded says that this call did, and that err is the load's.
func (c *Cache[K, V]) Get(ctx context.Context, key K, load func(context.Context) (V, error)) (v V, loaded bool, err error) {
	for {
		e, mine := c.claim(key)
		if mine {
			c.fill(ctx, e, load)
			return e.value, true, e.err
		}
		select {
		case <-ctx.Done():
			return v, false, ctx.Err()
		case <-e.done:
		}
		if e.err == nil {
			return e.value, false, nil
		}
	}
}

// claim gives what is kept or being loaded, or an entry for the caller to fill.
func (c *Cache[K, V]) claim(key K) (e *entry[K, V], mine bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at, ok := c.entries[key]; ok {
		c.order.MoveToFront(at)
		return at.Value.(*entry[K, V]), false
	}
	e = &entry[K, V]{key: key, done: make(chan struct{})}
	c.entries[key] = c.order.PushFront(e)
	return e, true
}

// fill loads an entry. Nobody waits for it afterwards, even if load panics.
func (c *Cache[K, V]) fill(ctx context.Context, e *entry[K, V], load func(context.Context) (V, error)) {
	e.err = errPanicked
	defer c.settle(e)
	v, err := load(ctx)
	if e.err = err; err == nil {
		e.value = v
	}
}

// settle keeps what was loaded, if it was, and evicts what was not used for longest.
func (c *Cache[K, V]) settle(e *entry[K, V]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(e.done)
	if e.err != nil {
		c.remove(c.entries[e.key])
		return
	}
	c.used += c.size(e.value)
	for at := c.order.Back(); at != nil && c.used > c.limit; {
		before := at.Prev()
		old := at.Value.(*entry[K, V])
		select {
		case <-old.done:
			c.used -= c.size(old.value)
			c.remove(at)
		default: // being loaded, and holds nothing yet
		}
		at = before
	}
}

func (c *Cache[K, V]) remove(at *list.Element) {
	delete(c.entries, c.order.Remove(at).(*entry[K, V]).key)
}
