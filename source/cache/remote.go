package cache

import (
	"context"
	"iter"
	"sync"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source"
)

// Remote reads the objects of another Remote through a folder: what was read once is read from there later. It is safe for concurrent use.
//
// Entries are of one version of an object, as the store calls it (a strong ETag), and of the range that was read: a range of an object that
// is there as a whole comes from that. Less than 64 KiB comes in blocks of 128 KiB. An object of which no version is known is not kept. Listings say sizes and versions, and so nobody
// is asked for what they name; of an object that is named otherwise both are asked for once, and hold for as long as there is this Remote,
// or until reading it fails.
type Remote struct {
	inner  source.Remote
	folder *Folder

	mu    sync.Mutex
	known map[string]source.Entry // what was asked for
}

// NewRemote reads inner's objects through a folder. Both are lent.
func NewRemote(inner source.Remote, folder *Folder) *Remote {
	return &Remote{inner: inner, folder: folder, known: map[string]source.Entry{}}
}

// Known is inner's.
func (r *Remote) Known(name string) bool { return r.inner.Known(name) }

// List is inner's: listings are not kept.
func (r *Remote) List(ctx context.Context, prefix string) iter.Seq2[source.Entry, error] {
	return r.inner.List(ctx, prefix)
}

// Walk is inner's.
func (r *Remote) Walk(ctx context.Context, prefix string) iter.Seq2[source.Entry, error] {
	return r.inner.Walk(ctx, prefix)
}

// Open opens an object, as inner does.
func (r *Remote) Open(ctx context.Context, e source.Entry) (spool.Object, error) {
	if e.Size == 0 {
		r.mu.Lock()
		if known, ok := r.known[e.Address]; ok {
			e = known
		}
		r.mu.Unlock()
	}
	inner, err := r.inner.Open(ctx, e)
	if err != nil {
		r.forget(e.Address)
		return nil, err
	}
	info := inner.Info()
	if e.Size == 0 && info.Size > 0 && info.Identity != "" {
		r.remember(source.Entry{Address: e.Address, Size: info.Size, Version: info.Version})
	}
	return &object{Object: inner, remote: r, address: e.Address, identity: info.Identity, size: info.Size}, nil
}

// maxKnown bounds what is remembered of objects: some 200 MB.
const maxKnown = 1 << 20

func (r *Remote) remember(e source.Entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.known) < maxKnown {
		r.known[e.Address] = e
	}
}

func (r *Remote) forget(address string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.known, address)
}
