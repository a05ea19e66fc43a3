// Package memo keeps the results of slow functions in memory, up to a limit in bytes.
package memo

import (
	"container/list"
	"context"
	"errors"
	"sync"
)

// Cache keeps results by key and evicts the least recently used. It is safe for concurrent use.
type Cache[K comparable, V any] struct {
	limit int64
	size  func(V) int64

	mu      sync.Mutex
	used    int64
	entries map[K]*list.Element
	order   *list.List // of *entry, the most recently used in front
}

// entry is a requested result. Its value and error are valid once done is closed.
type entry[K comparable, V any] struct {
	key   K
	done  chan struct{}
	value V
	err   error
}

// New returns a cache of at most limit bytes. size returns the bytes of a value.
func New[K comparable, V any](limit int64, size func(V) int64) *Cache[K, V] {
	return &Cache[K, V]{limit: limit, size: size, entries: map[K]*list.Element{}, order: list.New()}
}

// errPanicked is the error of a load function that did not return.
var errPanicked = errors.New("memo: the function has panicked")

// Get returns the cached value of the key, or loads it. While another call loads the same key, Get waits until ctx
// ends. If that load fails, one of the waiting calls loads again. loaded reports that this call ran load, in which case
// err is that of load.
func (c *Cache[K, V]) Get(ctx context.Context, key K, load func(context.Context) (V, error)) (v V, loaded bool,
	err error) {
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

// claim returns the entry that is cached or being loaded, or a new entry for the caller to fill.
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

// fill loads an entry. It always closes done, even if load panics.
func (c *Cache[K, V]) fill(ctx context.Context, e *entry[K, V], load func(context.Context) (V, error)) {
	e.err = errPanicked
	defer c.settle(e)
	v, err := load(ctx)
	if e.err = err; err == nil {
		e.value = v
	}
}

// settle ends a load. It caches a loaded value and evicts the least recently used entries, or removes the entry of a
// failed load.
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
		default: // being loaded, and not counted yet
		}
		at = before
	}
}

func (c *Cache[K, V]) remove(at *list.Element) {
	delete(c.entries, c.order.Remove(at).(*entry[K, V]).key)
}
