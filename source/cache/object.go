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

// object is an object of another Remote whose reads go through the folder. It is safe for concurrent use.
type object struct {
	spool.Object
	remote   *Remote
	address  string
	identity string // empty: nothing of it is kept
	size     int64

	mu    sync.Mutex
	whole *opened // the entry with all of it, once it was found
	users int     // who read it
	block []byte  // the last that came in place of a small piece
	at    int64
	done  bool

	asked expense
}

const (
	small     = 64 << 10  // what is less is read in blocks, as those who parse headers read on
	blockRead = 128 << 10 // as large as those of package object
)

// ReadAt reads from the folder, straight into p, or else from the store. Bytes of an object whose reads all take less than 0.1 ms are not
// kept: that object is in memory.
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

// read reads from the folder, or by inner; less than least bytes by blocks.
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

// blocks reads by blocks.
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

// fromWhole reads from the entry with all of the object, if there is one.
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
		o.leave()
	}()
	return whole.size == o.size && o.remote.folder.read(k, whole, p, off)
}

// piece reads exactly p, from the folder or the store.
func (o *object) piece(ctx context.Context, p []byte, off int64, inner reading) error {
	f := o.remote.folder
	k := o.key(fmt.Sprint(off, " ", len(p)), off == 0 && int64(len(p)) == o.size)
	if k.kind == Range { // of the whole it is known already
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
	if cost := o.asked.of(time.Since(begin)); cost > cheap {
		f.Put(k, nil, p, cost)
	}
	return nil
}

// fromBlock reads what a block has of a small piece, and says how much that was.
func (o *object) fromBlock(ctx context.Context, p []byte, off int64, inner reading) (int, error) {
	first := off / blockRead * blockRead
	length := min(blockRead, o.size-first)
	p = p[:min(int64(len(p)), first+length-off)]
	o.mu.Lock()
	have := o.block
	if o.at != first || int64(len(have)) != length {
		have = nil
	}
	o.mu.Unlock()
	if have == nil {
		have = make([]byte, length)
		if err := o.piece(ctx, have, first, inner); err != nil {
			return 0, err
		}
		o.mu.Lock()
		o.block, o.at = have, first // nobody writes to it any more
		o.mu.Unlock()
	}
	return copy(p, have[off-first:]), nil
}

// failed is a failure of the store: the object may have been written anew.
func (o *object) failed(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		o.remote.forget(o.address)
	}
	return err
}

// key is that of a part of the object.
func (o *object) key(part string, whole bool) Key {
	kind := Range
	if whole {
		kind = Object
	}
	return NewKey(kind, spool.Shown(o.address), o.identity, part)
}

// Close closes the object. Further calls do nothing.
func (o *object) Close() error {
	o.mu.Lock()
	o.done = true
	o.leave()
	o.mu.Unlock()
	return o.Object.Close()
}

// leave closes the entry once nobody reads it any more. It is called with the mutex.
func (o *object) leave() {
	if o.done && o.users == 0 && o.whole != nil {
		o.whole.file.close()
		o.whole = nil
	}
}
