package av

import (
	"context"
	"fmt"

	"github.com/spoolmedia/spool"
)

// descriptor is an Object of a local file. C reads it without a call into Go.
type descriptor interface{ Fd() uintptr }

// source has the bytes of an input: an Object, in the fastest form that it supports.
type source struct {
	name string
	size int64 // -1 for a stream

	// One of:
	data []byte
	file descriptor
	read func(ctx context.Context, p []byte, off int64) (int, error)

	opened spool.Object // from a spool.Opener: closed with the input
}

// newSource creates a source, and opens the object if it is a spool.Opener. The caller closes the source.
func newSource(ctx context.Context, o spool.Object) (*source, error) {
	var s source
	switch form := o.(type) {
	case nil:
		return nil, fmt.Errorf("%w: av: no object", spool.ErrOptions)
	case spool.Opener:
		var err error
		if s.opened, err = form.OpenParts(ctx, 0, 0); err != nil {
			return nil, err
		}
		o = s.opened
	case spool.Stream:
		if form.Reader == nil {
			return nil, fmt.Errorf("%w: av: a stream without a reader", spool.ErrOptions)
		}
		s.name, s.size = form.Name, -1
		s.read = func(_ context.Context, p []byte, _ int64) (int, error) { return form.Reader.Read(p) }
		return &s, nil
	}
	i := o.Info()
	s.name, s.size = i.Name, i.Size
	switch form := o.(type) {
	case spool.Bytes:
		s.data = form.Data
	case descriptor:
		s.file = form
	default:
		s.read = o.ReadAt
	}
	var err error
	switch {
	case s.size < 0:
		err = fmt.Errorf("%w: av: an object of %d bytes", spool.ErrOptions, s.size)
	case s.size == 0:
		err = &spool.Error{Op: opProbe, File: s.name, Class: spool.ErrEmpty, Text: "no bytes"}
	default:
		return &s, nil
	}
	s.close()
	return nil, err
}

func (s *source) close() {
	if s.opened != nil {
		_ = s.opened.Close() // it was only read
	}
}
