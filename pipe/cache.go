package pipe

import (
	"context"
	"sync"
)

// Cache keeps results of a function, up to a ceiling in bytes, over epochs and over pipelines. It is
// safe for concurrent use.
//
// What does not fit is not kept, and nothing is given up for it: where every epoch asks for every key
// once, each kept result is worth as much as any other, and an order of eviction would only throw
// results away before their turn (J. Mohan et al., Analyzing and Mitigating Data Stalls in DNN
// Training, VLDB 2021).
type Cache[K comparable, V any] struct {
	ceiling int64
	size    func(V) int64
	share   func(V) V

	mu    sync.Mutex
	kept  map[K]V
	stats CacheStats
}

// CacheStats are what a cache has done so far.
type CacheStats struct {
	Hits, Misses int64
	Items        int
	Bytes        int64
	Refused      int64 // results that there was no room for
}

// NewCache makes a cache of at most so many bytes, as size says of its values. share makes a further
// owner of a value, and may be nil for values that hold nothing to be released.
func NewCache[K comparable, V any](bytes int64, size func(V) int64, share func(V) V) *Cache[K, V] {
	if share == nil {
		share = func(v V) V { return v }
	}
	return &Cache[K, V]{ceiling: bytes, size: size, share: share, kept: map[K]V{}}
}

// Cached is f with a cache in front of it, as a function for Map: where the cache has a result for an
// item's key, f is not called, and the item is released. Two workers that miss the same key both call
// f.
func Cached[In, Out any, K comparable](c *Cache[K, Out], key func(In) K, f func(context.Context, In) (Out, error)) func(context.Context, In) (Out, error) {
	return func(ctx context.Context, item In) (Out, error) {
		k := key(item)
		if kept, ok := c.get(k); ok {
			release(item)
			return kept, nil
		}
		result, err := f(ctx, item)
		if err == nil {
			c.keep(k, result)
		}
		return result, err
	}
}

func (c *Cache[K, V]) get(k K) (v V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if v, ok = c.kept[k]; !ok {
		c.stats.Misses++
		return v, false
	}
	c.stats.Hits++
	return c.share(v), true
}

// keep keeps a value of somebody else, if there is room.
func (c *Cache[K, V]) keep(k K, v V) {
	n := c.size(v)
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.kept[k]; ok {
		return
	}
	if c.stats.Bytes+n > c.ceiling {
		c.stats.Refused++
		return
	}
	c.kept[k] = c.share(v)
	c.stats.Bytes += n
	c.stats.Items++
}

// Stats are what the cache has done so far.
func (c *Cache[K, V]) Stats() CacheStats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stats
}

// Release gives up all values. The cache is empty then, and may be used on.
func (c *Cache[K, V]) Release() {
	c.mu.Lock()
	kept := c.kept
	c.kept = map[K]V{}
	c.stats.Bytes, c.stats.Items = 0, 0
	c.mu.Unlock()
	for _, v := range kept {
		release(v)
	}
}
