package object

import (
	"context"
	"fmt"
	"io"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source"
)

// Object is the bytes of one object, of the version that it had when it was opened or listed.
type Object struct {
	host  *host
	key   string
	entry source.Entry

	seen   atomic.Pointer[string] // the version, where only an answer told it
	closed atomic.Bool
}

// Entry is what the store said of the object.
func (o *Object) Entry() source.Entry { return o.entry }

// Size is the number of bytes when the object was opened.
func (o *Object) Size() int64 { return o.entry.Size }

// ReadAt reads len(p) bytes at off, like io.ReaderAt: when it returns fewer, the error says why, and at the end that is io.EOF.
// It is one request, or several side by side where p is longer than Options.Part.
func (o *Object) ReadAt(ctx context.Context, p []byte, off int64) (n int, err error) {
	switch {
	case o.closed.Load():
		return 0, fmt.Errorf("read %s: %w", Shown(o.entry.Address), spool.ErrClosed)
	case off < 0:
		return 0, &spool.Error{Op: "read", File: Shown(o.entry.Address), Class: spool.ErrIO, Text: "before the beginning"}
	case off >= o.entry.Size:
		if len(p) == 0 {
			return 0, nil
		}
		return 0, io.EOF
	}
	want := p[:min(int64(len(p)), o.entry.Size-off)]
	if n, err = o.parts(ctx, want, off); err != nil {
		return n, fail("read", o.entry.Address, err)
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// parts reads p in pieces of equal length.
func (o *Object) parts(ctx context.Context, p []byte, off int64) (int, error) {
	most := o.host.options.Part
	if len(p) <= most {
		return o.host.read(ctx, o, p, off)
	}
	pieces := (len(p) + most - 1) / most
	length := (len(p) + pieces - 1) / pieces
	group, ctx := errgroup.WithContext(ctx)
	read := make([]int, pieces)
	for i := range pieces {
		from := i * length
		group.Go(func() (err error) {
			read[i], err = o.host.read(ctx, o, p[from:min(from+length, len(p))], off+int64(from))
			return err
		})
	}
	err := group.Wait()
	n := 0
	for i, r := range read { // what counts is what there is without a gap
		n += r
		if r < min(length, len(p)-i*length) {
			break
		}
	}
	return n, err
}

// Close ends reading. Further calls do nothing.
func (o *Object) Close() error {
	o.closed.Store(true)
	return nil
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
