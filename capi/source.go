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
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/source"
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
		in.name = in.path
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
func (in input) bytes(ctx context.Context, limits decode.Limits, do func([]byte) error) error {
	if !in.atPath {
		return in.named(do(in.data))
	}
	b, err := in.read(ctx, limits)
	if err != nil {
		return in.named(err)
	}
	defer b.Release()
	return in.named(do(b.Bytes()))
}

// read reads the file into memory.
func (in input) read(ctx context.Context, limits decode.Limits) (*spool.Buffer, error) {
	file, err := source.Files(in.path).Open(ctx, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return source.ReadBuffer(ctx, file, library.results, limits.MaxBytes)
}

// named is an error with the file in it, by the name that the caller has for it.
func (in input) named(err error) error {
	if err == nil || in.name == "" {
		return err
	}
	if e, ok := errors.AsType[*spool.Error](err); ok && in.atPath && e.File == in.path {
		other := *e
		other.File = in.name
		return &other
	}
	return spool.InFile(err, in.name)
}
