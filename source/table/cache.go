package source

import (
	"context"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/memo"
)

// Unpacked caches decompressed data: shards, or parts of manifests. It evicts the least recently used. Data that is
// evicted stays in memory while a reader uses it. Unpacked is safe for concurrent use.
type Unpacked struct {
	limit int64
	kept  *memo.Cache[any, []byte]
}

// NewUnpacked returns a cache of limit bytes.
func NewUnpacked(limit int64) *Unpacked {
	return &Unpacked{limit, memo.New[any](limit, func(data []byte) int64 { return int64(len(data)) })}
}

// Limit returns the cache's size in bytes, and so the most that one piece may have.
func (u *Unpacked) Limit() int64 { return u.limit }

// Get returns the data cached under the key, or else that of unpack; callers must not change it. It waits for data that
// another call unpacks. If that call fails, the next waiting call unpacks.
func (u *Unpacked) Get(ctx context.Context, key any, unpack func(context.Context) ([]byte, error)) ([]byte, error) {
	data, unpacked, err := u.kept.Get(ctx, key, unpack)
	if err != nil && !unpacked {
		err = spool.FileError("open", "", err)
	}
	return data, err
}
