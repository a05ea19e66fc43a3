package table

import (
	"context"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/memo"
)

// Cache keeps decompressed data: parts of tables, or whole shards. It evicts the least recently used. Data that is
// evicted stays in memory while a reader uses it. A Cache is safe for concurrent use.
type Cache struct {
	limit int64
	kept  *memo.Cache[any, sized]
	rows  *Cache
}

// sized is a value and the bytes that it takes.
type sized struct {
	value any
	bytes int64
}

// NewCache returns a cache of limit bytes, and as much as a quarter of that for Rows.
func NewCache(limit int64) *Cache {
	c := newCache(limit, limit)
	c.rows = newCache(limit, limit/4)
	return c
}

func newCache(limit, kept int64) *Cache {
	return &Cache{limit: limit, kept: memo.New[any](kept, func(s sized) int64 { return s.bytes })}
}

// Limit returns the cache's size in bytes, and so the most that one piece may have.
func (c *Cache) Limit() int64 { return c.limit }

// Rows returns a cache for the columns that name and describe samples, which media do not evict. It keeps at
// most a quarter of Limit, and pieces have the same limit.
func (c *Cache) Rows() *Cache { return c.rows }

// Get returns the data cached under the key, or else that of unpack; callers must not change it. It waits for data that
// another call unpacks. If that call fails, the next waiting call unpacks.
func (c *Cache) Get(ctx context.Context, key any, unpack func(context.Context) ([]byte, error)) ([]byte, error) {
	return Cached(ctx, c, key, func(ctx context.Context) ([]byte, int64, error) {
		data, err := unpack(ctx)
		return data, int64(len(data)), err
	})
}

// Cached is Cache.Get for values that are more than bytes. unpack returns a value and the memory that it takes.
func Cached[T any](ctx context.Context, c *Cache, key any,
	unpack func(context.Context) (T, int64, error)) (value T, err error) {
	kept, unpacked, err := c.kept.Get(ctx, key, func(ctx context.Context) (sized, error) {
		value, bytes, err := unpack(ctx)
		return sized{value, bytes}, err
	})
	if err != nil {
		if !unpacked {
			err = spool.FileError("open", "", err)
		}
		return value, err
	}
	return kept.value.(T), nil
}
