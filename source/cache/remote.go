package cache

import (
	"context"
	"iter"
	"sync"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source"
)

// Remote reads the objects of another Remote through a folder: bytes that were read once come from there later. It is
// safe for concurrent use.
//
// An entry belongs to one version of an object, as the store calls it (a strong ETag), and to the range that was read.
// A range is read from the entry of the whole object if there is one. Less than 64 KiB are read in blocks of 128 KiB.
// An object of unknown version is not stored. Listings contain sizes and versions, so listed objects need no request
// for them. Those of any other object are requested once. They are valid as long as the Remote is used, or until
// reading the object fails.
type Remote struct {
	inner  source.Remote
	folder *Folder

	mu    sync.Mutex
	known map[string]source.Entry // results of requests
}

// NewRemote returns a Remote that reads inner's objects through a folder. It closes neither.
func NewRemote(inner source.Remote, folder *Folder) *Remote {
	return &Remote{inner: inner, folder: folder, known: map[string]source.Entry{}}
}

// Known is that of inner.
func (r *Remote) Known(name string) bool { return r.inner.Known(name) }

// List is that of inner: listings are not cached.
func (r *Remote) List(ctx context.Context, prefix string) iter.Seq2[source.Entry, error] {
	return r.inner.List(ctx, prefix)
}

// Walk is that of inner.
func (r *Remote) Walk(ctx context.Context, prefix string) iter.Seq2[source.Entry, error] {
	return r.inner.Walk(ctx, prefix)
}

// Open opens an object, as inner does.
func (r *Remote) Open(ctx context.Context, e source.Entry) (spool.Object, error) {
	if e.Size == 0 {
		r.mu.Lock()
		if known, ok := r.known[e.URL]; ok {
			e = known
		}
		r.mu.Unlock()
	}
	inner, err := r.inner.Open(ctx, e)
	if err != nil {
		r.forget(e.URL)
		return nil, err
	}
	info := inner.Info()
	if e.Size == 0 && info.Size > 0 && info.Identity != "" {
		r.remember(source.Entry{URL: e.URL, Size: info.Size, Version: info.Version})
	}
	return &object{Object: inner, remote: r, url: e.URL, identity: info.Identity, size: info.Size}, nil
}

// maxKnown bounds the memory for known objects: some 200 MB.
const maxKnown = 1 << 20

func (r *Remote) remember(e source.Entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.known) < maxKnown {
		r.known[e.URL] = e
	}
}

func (r *Remote) forget(url string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.known, url)
}
