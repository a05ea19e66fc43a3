package cache

import (
	"context"
	"errors"
	"io"
	"iter"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source"
)

// Remote reads the objects of another Remote through a folder: what was read once is read from there later. It is safe for concurrent use.
//
// Entries are of one version of an object, as the store calls it (a strong ETag), and of the range that was read: a range of an object that
// is there as a whole comes from that. An object of which no version is known is not kept. Listings say sizes and versions, and so nobody
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

// Open opens an object, as inner does.
func (r *Remote) Open(ctx context.Context, e source.Entry) (source.Object, error) {
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
	if told, ok := inner.(describer); ok && e.Size == 0 {
		if e = told.Entry(); e.Size > 0 && isStrong(e.Version) {
			r.remember(e)
		}
	}
	return &object{Object: inner, remote: r, entry: e}, nil
}

// describer is an object that knows what the store has said of it.
type describer interface{ Entry() source.Entry }

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

// isStrong reports whether a version stands for the very bytes.
func isStrong(version string) bool { return version != "" && !strings.HasPrefix(version, "W/") }

// object is an object of another Remote whose reads go through the folder.
type object struct {
	source.Object
	remote *Remote
	entry  source.Entry

	mu    sync.Mutex
	whole *opened // the entry with all of it, once it was found
}

// Version is what tells the object's bytes from others, as the store calls it; empty where it is not known.
func (o *object) Version() string {
	if isStrong(o.entry.Version) {
		return o.entry.Version
	}
	return ""
}

// ReadAt reads from the folder, straight into p, or else from the store.
func (o *object) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	size := o.Size()
	if len(p) == 0 || off < 0 || off >= size || ctx.Err() != nil {
		return o.Object.ReadAt(ctx, p, off) // which asks nobody
	}
	want := p[:min(int64(len(p)), size-off)]
	if o.find(want, off) {
		if len(want) < len(p) {
			return len(want), io.EOF
		}
		return len(want), nil
	}
	begin := time.Now()
	n, err := o.Object.ReadAt(ctx, p, off)
	switch {
	case n == len(want) && (err == nil || errors.Is(err, io.EOF)):
		o.keep(want, off, time.Since(begin))
	case err != nil && ctx.Err() == nil:
		o.remote.forget(o.entry.Address) // it may have been written anew
	}
	return n, err
}

// find reads what the folder has.
func (o *object) find(p []byte, off int64) bool {
	version := o.Version()
	if version == "" {
		o.remote.folder.stats.misses.Add(1)
		return false
	}
	f := o.remote.folder
	all := o.key(version, 0, o.Size())
	o.mu.Lock()
	if o.whole == nil {
		o.whole = f.find(all)
	}
	whole := o.whole
	o.mu.Unlock()
	if whole != nil && whole.size == o.Size() && f.read(all, whole, p, off) {
		return true
	}
	if int64(len(p)) < o.Size() {
		k := o.key(version, off, int64(len(p)))
		if e := f.find(k); e != nil {
			defer e.file.close()
			if e.size == int64(len(p)) && f.read(k, e, p, 0) {
				return true
			}
		}
	}
	f.stats.misses.Add(1)
	return false
}

// cheap is what is not kept: it came from memory, or as fast as from a disk.
const cheap = 100 * time.Microsecond

func (o *object) keep(p []byte, off int64, cost time.Duration) {
	if version := o.Version(); version != "" && cost > cheap {
		o.remote.folder.Put(o.key(version, off, int64(len(p))), nil, p, cost)
	}
}

// key is that of so many bytes at off. Objects of other stores by the same address are told by the endpoint.
func (o *object) key(version string, off, n int64) Key {
	address := withoutUser(o.entry.Address)
	kind, name := Range, spool.Shown(address)
	if off == 0 && n == o.Size() {
		kind = Object
	}
	endpoint := ""
	if at, ok := o.remote.inner.(placer); ok {
		endpoint = at.Endpoint(o.entry.Address)
	}
	return NewKey(kind, name, endpoint, address, version, strconv.FormatInt(o.Size(), 10), strconv.FormatInt(off, 10), strconv.FormatInt(n, 10))
}

// placer is a Remote whose addresses may lead to one server or another.
type placer interface{ Endpoint(address string) string }

// Close closes the object. Further calls do nothing.
func (o *object) Close() error {
	o.mu.Lock()
	if o.whole != nil {
		o.whole.file.close()
		o.whole = nil
	}
	o.mu.Unlock()
	return o.Object.Close()
}

// withoutUser is an address without who reads it: a version stands for the same bytes, whoever it is.
func withoutUser(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.User == nil {
		return address
	}
	u.User = nil
	return u.String()
}
