package pipe

import (
	"context"
	"sync"
)

// Cache keeps results of a function, up to a ceiling in bytes, for later epochs and other pipelines. It is safe for
// concurrent use.
//
// Results that do not fit are not kept, and nothing is evicted for them. If every epoch needs every key once, all
// results are equally valuable, and any eviction order would only remove results before they are used (J. Mohan et al.,
// Analyzing and Mitigating Data Stalls in DNN Training, VLDB 2021).
type Cache[K comparable, V any] struct {
	ceiling int64
	size    func(V) int64
	share   func(V) V

	mu    sync.Mutex
	kept  map[K]V
	stats CacheStats
}

// CacheStats are a cache's counters.
type CacheStats struct {
	Hits, Misses int64
	Items        int
	Bytes        int64
	Refused      int64 // results for which there was no room
}

// NewCache returns a cache of at most the given bytes; size returns the bytes of a value. share returns another owner
// of a value. It may be nil for values that need no Release.
func NewCache[K comparable, V any](bytes int64, size func(V) int64, share func(V) V) *Cache[K, V] {
	if share == nil {
		share = func(v V) V { return v }
	}
	return &Cache[K, V]{ceiling: bytes, size: size, share: share, kept: map[K]V{}}
}

// Cached returns f with a cache, as a function for Map. If the cache has a result for an item's key, f is not called,
// and the item is released. Two workers that miss the same key both call f.
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

// keep adds a value if there is room. The caller still owns v.
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

// Stats returns the cache's counters.
func (c *Cache[K, V]) Stats() CacheStats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stats
}

// Release releases all values. The cache is then empty and can still be used.
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
