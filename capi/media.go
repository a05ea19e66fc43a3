package main

/*
#include "spool.h"
*/
import "C"

import (
	"context"
	"io"

	"github.com/spoolmedia/spool/internal/settings"
)

// What is the same for videos and sounds: S is a spec of them, M one that is open.

// mediaSpec is a spec that has a decoder once its options are read.
type mediaSpec interface {
	io.Closer
	define(set *settings.Set) (judge func())
	begin() error // takes the decoder
}

// newSpec reads a spec from JSON, and hands it to C.
func newSpec(s mediaSpec, json *C.char, spec *C.uintptr_t, e *C.spool_error) C.int32_t {
	return guard(e, "read options", func() error {
		if err := readOptions(json, s.define); err != nil {
			return err
		}
		if err := s.begin(); err != nil {
			return err
		}
		*spec = open(s)
		return nil
	})
}

// openMedia has begin open a source, and hands what it gives to C.
func openMedia[S, M io.Closer](begin func(context.Context, S, input) (M, error), spec C.uintptr_t, source *C.spool_source, cancel C.uintptr_t,
	opened *C.uintptr_t, e *C.spool_error) C.int32_t {
	return guard(e, "open", func() error {
		in, err := inputOf(source)
		if err != nil {
			return err
		}
		return use(spec, func(ctx context.Context, s S) error {
			return until(ctx, cancel, func(ctx context.Context) error {
				m, err := begin(ctx, s, in)
				if err == nil {
					*opened = open(m)
				}
				return err
			})
		})
	})
}

// decodeMedia gives a call its turn with what is open.
func decodeMedia[S io.Closer, M interface {
	io.Closer
	take(ctx context.Context, do func() error) error
}](number, spec, cancel C.uintptr_t, e *C.spool_error, do func(context.Context, M, S) error) C.int32_t {
	return guard(e, "decode", func() error {
		return use(spec, func(_ context.Context, s S) error {
			return use(number, func(ctx context.Context, m M) error {
				return until(ctx, cancel, func(ctx context.Context) error {
					return m.take(ctx, func() error { return do(ctx, m, s) })
				})
			})
		})
	})
}
