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
	kept  *memo.Cache[any, []byte]
}

// NewCache returns a cache of limit bytes.
func NewCache(limit int64) *Cache {
	return &Cache{limit, memo.New[any](limit, func(data []byte) int64 { return int64(len(data)) })}
}

// Limit returns the cache's size in bytes, and so the most that one piece may have.
func (c *Cache) Limit() int64 { return c.limit }

// Get returns the data cached under the key, or else that of unpack; callers must not change it. It waits for data that
// another call unpacks. If that call fails, the next waiting call unpacks.
func (c *Cache) Get(ctx context.Context, key any, unpack func(context.Context) ([]byte, error)) ([]byte, error) {
	data, unpacked, err := c.kept.Get(ctx, key, unpack)
	if err != nil && !unpacked {
		err = spool.FileError("open", "", err)
	}
	return data, err
}
