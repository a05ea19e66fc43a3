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
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/object"
)

// input is a spool_source in Go. Data is C's, and lent.
type input struct {
	atPath bool
	path   string
	data   []byte // in place of a path
	name   string // what errors call it
}

func inputOf(s *C.spool_source) (in input, err error) {
	if s == nil {
		return in, fmt.Errorf("%w: a NULL in place of a source", spool.ErrOptions)
	}
	switch {
	case s.path != nil:
		in.atPath, in.path = true, C.GoString(s.path)
		in.name = spool.Shown(in.path)
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

// bytes gives do the bytes of the file, and names it in errors.
func (in input) bytes(ctx context.Context, d *decoder, do func([]byte) error) error {
	if !in.atPath {
		return in.named(do(in.data))
	}
	b, err := in.read(ctx, d)
	if err != nil {
		return in.named(err)
	}
	defer b.Release()
	return in.named(do(b.Bytes()))
}

// read reads the file into memory.
func (in input) read(ctx context.Context, d *decoder) (*spool.Buffer, error) {
	file, err := in.open(ctx, d.stores)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return source.ReadBuffer(ctx, file, library.results, d.Limits().MaxBytes)
}

func (in input) open(ctx context.Context, stores *object.Client) (spool.Object, error) {
	if stores.Known(in.path) {
		return stores.Open(ctx, source.Entry{Address: in.path})
	}
	return source.Files(in.path).Open(ctx, 0)
}

// object is what decoders of video and audio read in parts.
func (in input) object(stores *object.Client) spool.Object {
	switch {
	case !in.atPath:
		return spool.Bytes{Data: in.data, Name: in.name}
	case !stores.Known(in.path):
		return spool.File(in.path)
	}
	return stores.At(in.path)
}

// named is an error with the file in it, by the name that the caller has for it.
func (in input) named(err error) error {
	if err == nil || in.name == "" {
		return err
	}
	if e, ok := errors.AsType[*spool.Error](err); ok && in.atPath && e.File == spool.Shown(in.path) {
		other := *e
		other.File = in.name
		return &other
	}
	return spool.InFile(err, in.name)
}
