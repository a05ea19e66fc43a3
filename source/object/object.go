package object

import (
	"context"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/ranges"
	"github.com/spoolmedia/spool/source"
)

// Object is an object of a store, in the version that was opened or listed. It is safe for concurrent use.
type Object struct {
	host   *host
	key    string
	entry  source.Entry
	blocks *ranges.Blocks // bytes in memory; nil without Options.ReadAhead

	learned atomic.Pointer[string] // the version, if only an answer reported it
	closed  atomic.Bool

	once sync.Once
	info spool.ObjectInfo // without the version
}

func (c *Client) object(h *host, key string, e source.Entry) *Object {
	o := &Object{host: h, key: key, entry: e}
	if c.store != nil {
		o.blocks = ranges.NewBlocks(c.life, c.store, e.Size, func(ctx context.Context, p []byte, off int64) (int, error) {
			return o.host.read(ctx, o, p, off)
		})
	}
	return o
}

// Entry returns what the store reported of the object.
func (o *Object) Entry() source.Entry { return o.entry }

// Info describes the object. Version is its ETag, as reported by the listing or the first answer. Identity is its
// server, its key, its size and the version of the listing. It is empty if that version is unknown, or does not
// identify the exact bytes (a weak ETag).
func (o *Object) Info() spool.ObjectInfo {
	o.once.Do(func() {
		o.info = spool.ObjectInfo{Name: spool.Redacted(o.entry.URL), Size: o.entry.Size, Remote: true}
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

// ReadAt reads len(p) bytes at off, like io.ReaderAt: if it reads fewer, the error says why, and at the end it is
// io.EOF.
//
// Reads of the whole object, and of 64 KiB or more anywhere in it, are requested as they are, directly into p: by one
// request or, beyond Options.Part, by several concurrent ones. Smaller reads, and reads that continue the previous one,
// go through blocks of 128 KiB. Blocks are cached for later reads, up to Options.ReadAhead for all objects together.
// Sequential reads (of less than 4 MiB) prefetch twice as many blocks each time, up to 8 MiB.
func (o *Object) ReadAt(ctx context.Context, p []byte, off int64) (n int, err error) {
	return o.read(ctx, p, off, true)
}

// ReadRange is ReadAt of exactly these bytes: it requests no others, and keeps none. It uses those that are in memory.
func (o *Object) ReadRange(ctx context.Context, p []byte, off int64) (n int, err error) {
	return o.read(ctx, p, off, false)
}

// read copies bytes that are in memory, and requests the rest: as blocks, if it may.
func (o *Object) read(ctx context.Context, p []byte, off int64, blocks bool) (n int, err error) {
	switch {
	case o.closed.Load():
		return 0, fmt.Errorf("read %s: %w", spool.Redacted(o.entry.URL), spool.ErrClosed)
	case off < 0:
		return 0, &spool.Error{Op: "read", File: spool.Redacted(o.entry.URL), Class: spool.ErrIO,
			Text: "before the beginning"}
	case len(p) == 0:
		return 0, nil
	case off >= o.entry.Size:
		return 0, io.EOF
	}
	want := p[:min(int64(len(p)), o.entry.Size-off)]
	switch {
	case o.blocks == nil:
	case blocks:
		n, err = o.blocks.Read(ctx, want, off)
	default:
		n, err = o.blocks.Known(ctx, want, off)
	}
	if err != nil && o.closed.Load() {
		err = spool.ErrClosed
	}
	if err == nil && n < len(want) {
		var m int
		m, err = o.readParts(ctx, want[n:], off+int64(n))
		n += m
	}
	if err != nil {
		return n, fail("read", o.entry.URL, err)
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// readParts reads into p by concurrent requests of equal length.
func (o *Object) readParts(ctx context.Context, p []byte, off int64) (int, error) {
	most, size := int64(o.host.options.Part), int64(len(p))
	if size <= most {
		return o.host.read(ctx, o, p, off)
	}
	parts := (size + most - 1) / most
	length := (size + parts - 1) / parts
	group, ctx := errgroup.WithContext(ctx)
	read := make([]int, parts)
	for i := range parts {
		group.Go(func() (err error) {
			read[i], err = o.host.read(ctx, o, p[i*length:min((i+1)*length, size)], off+i*length)
			return err
		})
	}
	err := group.Wait()
	n := 0
	for i, r := range read { // only bytes without a gap count
		n += r
		if int64(r) < min(length, size-int64(i)*length) {
			break
		}
	}
	return n, err
}

// Close ends reading. Further calls do nothing.
func (o *Object) Close() error {
	if !o.closed.Swap(true) && o.blocks != nil {
		o.blocks.Close()
	}
	return nil
}

// version returns the version that the object must have.
func (o *Object) version() string {
	if v := o.learned.Load(); v != nil {
		return *v
	}
	return o.entry.Version
}

// learn keeps the version of the first answer, if opening reported none.
func (o *Object) learn(i info) {
	if o.entry.Version == "" && i.version != "" {
		o.learned.CompareAndSwap(nil, &i.version)
	}
}
