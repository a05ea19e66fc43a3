package main

/*
#include "spool.h"
*/
import "C"

import (
	"context"

	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/internal/probed"
	"github.com/spoolmedia/spool/internal/settings"
)

//export goProbe
func goProbe(source *C.spool_source, options *C.char, cancel C.uintptr_t, json **C.spool_array, e *C.spool_error) C.int32_t {
	return guard(e, "probe", func() error {
		var limits decode.Limits
		if err := readOptions(options, func(set *settings.Set) func() {
			set.Limits(&limits)
			return func() {}
		}); err != nil {
			return err
		}
		in, err := inputOf(source)
		if err != nil {
			return err
		}
		return until(context.Background(), cancel, func(ctx context.Context) error {
			media, err := decode.ProbeInput(ctx, in.media(), limits)
			if err != nil {
				return in.named(err)
			}
			*json, err = jsonArray(probed.Good(in.name, media))
			return err
		})
	})
}
