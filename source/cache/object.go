package cache

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/spoolmedia/spool"
)

// object is an object of another Remote that is read through the folder. It is safe for concurrent use.
type object struct {
	spool.Object
	remote   *Remote
	url      string
	identity string // empty: nothing of it is stored
	size     int64

	mu    sync.Mutex
	whole *opened       // the entry with all of the object, once it is found
	users int           // reads of whole in progress
	block *spool.Buffer // the last block that was read for a small read, or nil
	at    int64
	done  bool

	cost expense
}

const (
	small     = 64 << 10  // smaller reads are made in blocks, since a parser of headers reads on
	blockRead = 128 << 10 // as in package object
)

// ReadAt reads from the folder, directly into p, or else from the store. If all reads of an object take less than 0.1
// ms, nothing of it is stored: the object is in memory.
func (o *object) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	return o.read(ctx, p, off, o.Object.ReadAt, small)
}

// ReadRange is ReadAt of exactly these bytes, however few they are.
func (o *object) ReadRange(ctx context.Context, p []byte, off int64) (int, error) {
	inner := func(ctx context.Context, p []byte, off int64) (int, error) {
		return spool.ReadRange(ctx, o.Object, p, off)
	}
	return o.read(ctx, p, off, inner, 0)
}

// reading is ReadAt or ReadRange of the object in the store.
type reading func(ctx context.Context, p []byte, off int64) (int, error)

// read reads from the folder, or with inner. It reads fewer than least bytes in blocks.
func (o *object) read(ctx context.Context, p []byte, off int64, inner reading, least int) (int, error) {
	size := o.size
	if o.identity == "" || len(p) == 0 || off < 0 || off >= size || ctx.Err() != nil {
		return inner(ctx, p, off)
	}
	want := p[:min(int64(len(p)), size-off)]
	if !o.fromWhole(want, off) {
		get := o.blocks
		if len(want) >= least || int64(len(want)) == size {
			get = o.piece
		}
		if err := get(ctx, want, off, inner); err != nil {
			return 0, err
		}
	}
	if len(want) < len(p) {
		return len(want), io.EOF
	}
	return len(want), nil
}

// blocks reads in blocks.
func (o *object) blocks(ctx context.Context, p []byte, off int64, inner reading) error {
	for len(p) > 0 {
		n, err := o.fromBlock(ctx, p, off, inner)
		if err != nil {
			return err
		}
		p, off = p[n:], off+int64(n)
	}
	return nil
}

// fromWhole reads from the entry with all of the object, if it exists.
func (o *object) fromWhole(p []byte, off int64) bool {
	k := o.key(fmt.Sprint(0, " ", o.size), true)
	o.mu.Lock()
	if o.whole == nil && !o.done {
		o.whole = o.remote.folder.find(k)
	}
	whole := o.whole
	if whole == nil || o.done {
		o.mu.Unlock()
		return false
	}
	o.users++
	o.mu.Unlock()
	defer func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.users--
		o.closeUnused()
	}()
	return whole.size == o.size && o.remote.folder.read(k, whole, p, off)
}

// piece reads exactly p, from the folder or the store.
func (o *object) piece(ctx context.Context, p []byte, off int64, inner reading) error {
	f := o.remote.folder
	k := o.key(fmt.Sprint(off, " ", len(p)), off == 0 && int64(len(p)) == o.size)
	if k.kind == Range { // fromWhole has looked for the whole object
		if _, ok := f.Get(k, p); ok {
			return nil
		}
	} else {
		f.stats.misses.Add(1)
	}
	begin := time.Now()
	n, err := inner(ctx, p, off)
	if n < len(p) {
		if err == nil || errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return o.failed(ctx, err)
	}
	if cost := o.cost.of(time.Since(begin)); cost > cheap {
		f.Put(k, nil, p, cost)
	}
	return nil
}

// fromBlock copies the bytes of p that are in one block, and returns their number.
func (o *object) fromBlock(ctx context.Context, p []byte, off int64, inner reading) (int, error) {
	first := off / blockRead * blockRead
	length := min(blockRead, o.size-first)
	p = p[:min(int64(len(p)), first+length-off)]
	o.mu.Lock()
	have := o.block
	if have != nil && o.at == first {
		have.Retain()
	} else {
		have = nil
	}
	o.mu.Unlock()
	if have == nil {
		var ok bool
		if have, ok = o.remote.folder.blocks.TryGet(int(length), spool.Ranges); !ok {
			return o.past(ctx, p, off, inner)
		}
		if err := o.piece(ctx, have.Bytes(), first, inner); err != nil {
			have.Release()
			return 0, err
		}
		o.keep(have, first)
	}
	defer have.Release()
	return copy(p, have.Bytes()[off-first:]), nil
}

// keep keeps a block, which is not written from here on, for the next small reads.
func (o *object) keep(block *spool.Buffer, at int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.done {
		return
	}
	if o.block != nil {
		o.block.Release()
	}
	o.block, o.at = block.Retain(), at
}

// past reads past the folder, if there is no memory for a block.
func (o *object) past(ctx context.Context, p []byte, off int64, inner reading) (int, error) {
	n, err := inner(ctx, p, off)
	if n == len(p) {
		return n, nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return n, o.failed(ctx, err)
}

// failed handles an error of the store: the object may have been overwritten.
func (o *object) failed(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		o.remote.forget(o.url)
	}
	return err
}

// key returns the key of a part of the object.
func (o *object) key(part string, whole bool) Key {
	kind := Range
	if whole {
		kind = Object
	}
	return NewKey(kind, spool.Redacted(o.url), o.identity, part)
}

// Close closes the object. Further calls do nothing.
func (o *object) Close() error {
	o.mu.Lock()
	o.done = true
	o.closeUnused()
	if o.block != nil {
		o.block.Release()
		o.block = nil
	}
	o.mu.Unlock()
	return o.Object.Close()
}

// closeUnused closes the entry once the object is closed and no read uses it. The caller holds the mutex.
func (o *object) closeUnused() {
	if o.done && o.users == 0 && o.whole != nil {
		o.whole.file.close()
		o.whole = nil
	}
}
