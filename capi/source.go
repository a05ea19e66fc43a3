package main

/*
#include "spool.h"
*/
import "C"

import (
	"context"
	"errors"
	"fmt"
	"math"
	"unsafe"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source/object"
)

// input is a spool_source in Go. It borrows data from C.
type input struct {
	atPath bool
	path   string
	data   []byte // instead of a path
	name   string // the file's name in errors
}

func inputOf(s *C.spool_source) (in input, err error) {
	if s == nil {
		return in, fmt.Errorf("%w: a NULL in place of a source", spool.ErrOptions)
	}
	switch {
	case s.path != nil:
		in.atPath, in.path = true, C.GoString(s.path)
		in.name = spool.Redacted(in.path)
	case s.data == nil && s.size > 0, s.size > math.MaxInt:
		return in, fmt.Errorf("%w: a source of %d bytes at %p", spool.ErrOptions, s.size, s.data)
	default:
		in.data = unsafe.Slice((*byte)(s.data), int(s.size))
	}
	if s.name != nil {
		in.name = C.GoString(s.name)
	}
	return in, nil
}

// object returns the file for decoders.
func (in input) object(stores *object.Client) spool.Object {
	switch {
	case !in.atPath:
		return spool.Bytes{Data: in.data, Name: in.name}
	case !stores.Known(in.path):
		return spool.File(in.path)
	}
	return stores.At(in.path)
}

// named returns an error with the caller's name of the file.
func (in input) named(err error) error {
	if err == nil || in.name == "" {
		return err
	}
	if e, ok := errors.AsType[*spool.Error](err); ok && in.atPath && e.File == spool.Redacted(in.path) {
		other := *e
		other.File = in.name
		return &other
	}
	return spool.InFile(err, in.name)
}

// read reads the whole file into memory of its own.
func (in input) read(ctx context.Context, stores *object.Client, limit int64) (_ []byte, err error) {
	o := in.object(stores)
	if closed, ok := o.(spool.Opener); ok {
		if o, err = closed.OpenParts(ctx, 0, 0); err != nil {
			return nil, err
		}
	}
	data, err := spool.ReadAll(ctx, o, nil, limit)
	return data, errors.Join(err, o.Close())
}
