package source

import (
	"container/list"
	"context"
	"sync"

	"github.com/spoolmedia/spool"
)

// Unpacked is decompressed data, shards or parts of manifests, of which those used last are kept. Who reads what had to
// go keeps it in memory until it is read. It is safe for concurrent use.
type Unpacked struct {
	limit int64

	mu     sync.Mutex
	used   int64
	pieces map[any]*list.Element
	order  *list.List // of *piece, the last used in front
}

// piece is data that was asked for, once done is closed.
type piece struct {
	key  any
	done chan struct{}
	data []byte
	err  error
}

// NewUnpacked keeps so many bytes.
func NewUnpacked(limit int64) *Unpacked {
	return &Unpacked{limit: limit, pieces: map[any]*list.Element{}, order: list.New()}
}

// Limit is how many bytes are kept, and so the most that one piece may have.
func (u *Unpacked) Limit() int64 { return u.limit }

// Get gives what was kept under the key, or what unpack gives, which is not to be changed. What is being unpacked is waited
// for; where who does that fails, the next in line does it.
func (u *Unpacked) Get(ctx context.Context, key any, unpack func(context.Context) ([]byte, error)) ([]byte, error) {
	for {
		p, mine := u.claim(key)
		if mine {
			u.make(ctx, p, unpack)
			return p.data, p.err
		}
		select {
		case <-ctx.Done():
			return nil, fail("open", "", ctx.Err())
		case <-p.done:
		}
		if p.err == nil {
			return p.data, nil
		}
	}
}

// claim gives what is kept or under way, or a piece for the caller to make.
func (u *Unpacked) claim(key any) (p *piece, mine bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if at, ok := u.pieces[key]; ok {
		u.order.MoveToFront(at)
		return at.Value.(*piece), false
	}
	p = &piece{key: key, done: make(chan struct{})}
	u.pieces[key] = u.order.PushFront(p)
	return p, true
}

// make fills a piece. Nobody waits for it any more then, even if unpack panics.
func (u *Unpacked) make(ctx context.Context, p *piece, unpack func(context.Context) ([]byte, error)) {
	p.err = spool.ErrInternal
	defer u.settle(p)
	data, err := unpack(ctx)
	if p.err = err; err == nil {
		p.data = data
	}
}

// settle keeps what was made, if it was, and lets go of what was used least lately.
func (u *Unpacked) settle(p *piece) {
	u.mu.Lock()
	defer u.mu.Unlock()
	close(p.done)
	u.used += int64(len(p.data))
	if p.err != nil {
		u.drop(u.pieces[p.key])
	}
	for at := u.order.Back(); at != nil && u.used > u.limit; {
		before := at.Prev()
		select {
		case <-at.Value.(*piece).done:
			u.drop(at)
		default: // still under way, and holds nothing yet
		}
		at = before
	}
}

func (u *Unpacked) drop(at *list.Element) {
	p := u.order.Remove(at).(*piece)
	u.used -= int64(len(p.data))
	delete(u.pieces, p.key)
}
