package object

import (
	"context"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source"
)

// Object is the bytes of one object, of the version that it had when it was opened or listed. It is safe for concurrent use.
type Object struct {
	host   *host
	key    string
	entry  source.Entry
	blocks *blocks

	client context.Context // which ends with the client

	beginning, ending []byte // what came when it was opened

	mu    sync.Mutex
	next  int64           // where the last read ended
	ahead int64           // blocks that are fetched before they are wanted
	life  context.Context // of the requests for blocks, which may be of use to several readers; nil until there are any
	end   context.CancelFunc

	seen   atomic.Pointer[string] // the version, where only an answer told it
	pieces atomic.Bool            // some of it was read through blocks
	closed atomic.Bool

	once sync.Once
	info spool.ObjectInfo // but for the version
}

func (c *Client) object(h *host, key string, e source.Entry) *Object {
	return &Object{host: h, key: key, entry: e, blocks: c.blocks, client: c.life, next: -2 * blockSize}
}

// Entry is what the store said of the object.
func (o *Object) Entry() source.Entry { return o.entry }

// Info describes the object. Version is its ETag, as the listing or the first answer told it. Identity is its server, its
// key, its size and the version of the listing; it is empty where that is not known, or does not stand for the very bytes
// (a weak ETag).
func (o *Object) Info() spool.ObjectInfo {
	o.once.Do(func() {
		o.info = spool.ObjectInfo{Name: spool.Shown(o.entry.Address), Size: o.entry.Size, Remote: true}
		if strong(o.entry.Version) {
			base := *o.host.server.base
			base.User = nil
			o.info.Identity = fmt.Sprintf("object %s %q %d %s", &base, o.key, o.entry.Size, o.entry.Version)
		}
	})
	info := o.info
	info.Version = o.version()
	return info
}

// ReadAt reads len(p) bytes at off, like io.ReaderAt: when it returns fewer, the error says why, and at the end that is io.EOF.
//
// All of an object, and 64 KiB or more of it anywhere, are asked for as they are, by one request or, beyond
// Options.Part, by several side by side, and land in p. Less, and what continues the read before it, comes through
// blocks of 128 KiB that are kept for the next reads, up to Options.ReadAhead for all objects together; reads that follow each
// other (of less than 4 MiB) have twice as many blocks each time fetched before they are wanted, up to 8 MiB.
func (o *Object) ReadAt(ctx context.Context, p []byte, off int64) (n int, err error) {
	return o.read(ctx, p, off, true)
}

// ReadRange is ReadAt of exactly these bytes: no others are requested, and none are kept.
func (o *Object) ReadRange(ctx context.Context, p []byte, off int64) (n int, err error) {
	return o.read(ctx, p, off, false)
}

// read takes what came with the size, then, if it may, what comes through blocks, and asks for the rest.
func (o *Object) read(ctx context.Context, p []byte, off int64, blocks bool) (n int, err error) {
	switch {
	case o.closed.Load():
		return 0, fmt.Errorf("read %s: %w", spool.Shown(o.entry.Address), spool.ErrClosed)
	case off < 0:
		return 0, &spool.Error{Op: "read", File: spool.Shown(o.entry.Address), Class: spool.ErrIO, Text: "before the beginning"}
	case len(p) == 0:
		return 0, nil
	case off >= o.entry.Size:
		return 0, io.EOF
	}
	want := p[:min(int64(len(p)), o.entry.Size-off)]
	if int64(len(want)) < o.entry.Size || len(want) == len(o.beginning) { // all of it is one request
		n = o.came(want, off)
	}
	var m int
	if blocks && n < len(want) {
		m, err = o.piecemeal(ctx, want[n:], off+int64(n))
		n += m
	}
	if err == nil && n < len(want) {
		m, err = o.parts(ctx, scatter{want[n:]}, off+int64(n))
		n += m
	}
	if err != nil {
		return n, fail("read", o.entry.Address, err)
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// came copies what came when the object was opened.
func (o *Object) came(p []byte, off int64) (n int) {
	if off < int64(len(o.beginning)) {
		n = copy(p, o.beginning[off:])
	}
	if at := off + int64(n) - (o.entry.Size - int64(len(o.ending))); at >= 0 {
		n += copy(p[n:], o.ending[at:])
	}
	return n
}

// parts reads into memory in pieces of equal length.
func (o *Object) parts(ctx context.Context, memory scatter, off int64) (int, error) {
	most, size := int64(o.host.options.Part), memory.size()
	if size <= most {
		return o.host.read(ctx, o, memory, off)
	}
	pieces := (size + most - 1) / most
	length := (size + pieces - 1) / pieces
	group, ctx := errgroup.WithContext(ctx)
	read := make([]int, pieces)
	for i := range pieces {
		group.Go(func() (err error) {
			read[i], err = o.host.read(ctx, o, memory.from(i*length).to(length), off+i*length)
			return err
		})
	}
	err := group.Wait()
	n := 0
	for i, r := range read { // what counts is what there is without a gap
		n += r
		if int64(r) < min(length, size-int64(i)*length) {
			break
		}
	}
	return n, err
}

// Close ends reading. Further calls do nothing.
func (o *Object) Close() error {
	if o.closed.Swap(true) {
		return nil
	}
	if o.pieces.Load() {
		o.living()
		o.end()
		o.blocks.forget(o)
	}
	return nil
}

// living is the context of requests for blocks.
func (o *Object) living() context.Context {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.life == nil {
		o.life, o.end = context.WithCancel(o.client)
	}
	return o.life
}

// version is what the object has to be.
func (o *Object) version() string {
	if v := o.seen.Load(); v != nil {
		return *v
	}
	return o.entry.Version
}

// learn keeps the version of the first answer where opening told none.
func (o *Object) learn(i info) {
	if o.entry.Version == "" && i.version != "" {
		o.seen.CompareAndSwap(nil, &i.version)
	}
}
