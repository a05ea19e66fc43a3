package source

import (
	"context"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/memo"
)

// Unpacked is decompressed data, shards or parts of manifests, of which those used last are kept. A reader of evicted data
// keeps it in memory until it is read. It is safe for concurrent use.
type Unpacked struct {
	limit int64
	kept  *memo.Cache[any, []byte]
}

// NewUnpacked keeps so many bytes.
func NewUnpacked(limit int64) *Unpacked {
	return &Unpacked{limit, memo.New[any](limit, func(data []byte) int64 { return int64(len(data)) })}
}

// Limit is how many bytes are kept, and so the most that one piece may have.
func (u *Unpacked) Limit() int64 { return u.limit }

// Get gives what was kept under the key, or what unpack gives, which is not to be changed. It waits for data that another
// call unpacks; where that call fails, the next in line unpacks.
func (u *Unpacked) Get(ctx context.Context, key any, unpack func(context.Context) ([]byte, error)) ([]byte, error) {
	data, unpacked, err := u.kept.Get(ctx, key, unpack)
	if err != nil && !unpacked {
		err = spool.FileError("open", "", err)
	}
	return data, err
}
