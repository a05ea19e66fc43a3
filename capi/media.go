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

// This file is the common part of video and audio: S is the type of a spec, M the type of an open file.

// mediaSpec is a spec that gets a decoder once its options are read.
type mediaSpec interface {
	io.Closer
	define(set *settings.Set) (judge func())
	begin() error // gets the decoder
}

// newSpec parses a spec, and passes it to C.
func newSpec(s mediaSpec, json *C.char, spec *C.uintptr_t, e *C.spool_error) C.int32_t {
	return guard(e, "read options", func() error {
		if err := readOptions(json, s.define); err != nil {
			return err
		}
		if err := s.begin(); err != nil {
			return err
		}
		*spec = register(s)
		return nil
	})
}

// openMedia calls begin to open a source, and passes the result to C.
func openMedia[S, M io.Closer](begin func(context.Context, S, input) (M, error), spec C.uintptr_t,
	source *C.spool_source, cancel C.uintptr_t,
	opened *C.uintptr_t, e *C.spool_error) C.int32_t {
	return guard(e, "open", func() error {
		in, err := inputOf(source)
		if err != nil {
			return err
		}
		return use(spec, func(ctx context.Context, s S) error {
			return withCancel(ctx, cancel, func(ctx context.Context) error {
				m, err := begin(ctx, s, in)
				if err == nil {
					*opened = register(m)
				}
				return err
			})
		})
	})
}

// decodeMedia calls do. Calls on the same open file run one after the other.
func decodeMedia[S io.Closer, M interface {
	io.Closer
	do(ctx context.Context, do func() error) error
}](number, spec, cancel C.uintptr_t, e *C.spool_error, do func(context.Context, M, S) error) C.int32_t {
	return guard(e, "decode", func() error {
		return use(spec, func(_ context.Context, s S) error {
			return use(number, func(ctx context.Context, m M) error {
				return withCancel(ctx, cancel, func(ctx context.Context) error {
					return m.do(ctx, func() error { return do(ctx, m, s) })
				})
			})
		})
	})
}
