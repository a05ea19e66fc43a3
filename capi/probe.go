package main

/*
#include "spool.h"
*/
import "C"

import (
	"context"
	"errors"

	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/probe"
	"github.com/spoolmedia/spool/internal/probed"
	"github.com/spoolmedia/spool/internal/settings"
	"github.com/spoolmedia/spool/source/object"
)

//export goProbe
func goProbe(source *C.spool_source, options *C.char, cancel C.uintptr_t, json **C.spool_array,
	e *C.spool_error) C.int32_t {
	return guard(e, "probe", func() error {
		var (
			limits decode.Limits
			with   object.Options
		)
		if err := readOptions(options, func(set *settings.Set) func() {
			set.Limits(&limits)
			set.Stores(&with)
			return func() {}
		}); err != nil {
			return err
		}
		in, err := inputOf(source)
		if err != nil {
			return err
		}
		return withCancel(context.Background(), cancel, func(ctx context.Context) error {
			media, err := in.probe(ctx, with, limits)
			if err != nil {
				return in.named(err)
			}
			*json, err = jsonArray(probed.Good(in.name, media))
			return err
		})
	})
}

func (in input) probe(ctx context.Context, with object.Options, limits decode.Limits) (found probe.Media, err error) {
	stores, err := object.New(with)
	if err != nil {
		return found, err
	}
	defer func() { err = errors.Join(err, stores.Close()) }()
	return probe.Probe(ctx, in.object(stores), limits)
}
