package main

/*
#include "spool.h"
*/
import "C"

import (
	"context"
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/spoolmedia/spool/internal/invalid"
	"github.com/spoolmedia/spool/internal/settings"
	"github.com/spoolmedia/spool/internal/simulate"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/pipe/costs"
	"github.com/spoolmedia/spool/pipe/stats"
)

//export goSimulate
func goSimulate(file, options *C.char, json **C.spool_array, e *C.spool_error) C.int32_t {
	return guard(e, "simulate", func() error {
		var with *costs.Settings
		if err := readOptions(options, func(set *settings.Set) func() {
			with = simulate.Settings(set)
			return func() {}
		}); err != nil {
			return err
		}
		predicted, err := simulate.Predict(C.GoString(file), *with)
		if err == nil {
			*json, err = jsonArray(predicted)
		}
		return err
	})
}

//export goLoaderProfile
func goLoaderProfile(l C.uintptr_t, options *C.char, cancel C.uintptr_t, json **C.spool_array,
	e *C.spool_error) C.int32_t {
	return guard(e, "profile", func() error {
		return use(l, func(ctx context.Context, l *spool_loader) error {
			var with pipe.ProfileOptions
			if err := readOptions(options, func(set *settings.Set) func() {
				defineProfile(set, &with)
				return func() {}
			}); err != nil {
				return err
			}
			return withCancel(ctx, cancel, func(ctx context.Context) error {
				made, err := l.profile(ctx, with)
				if err == nil {
					*json, err = jsonArray(made)
				}
				return err
			})
		})
	})
}

// defineProfile defines the options of a profile.
func defineProfile(set *settings.Set, o *pipe.ProfileOptions) {
	set.Number("items", &o.Items, "256", 1, "samples for each number of workers")
	set.Add("workers", "N,...", "", "numbers of workers to try, ascending; not given: 1, 2, 4 and so on up to 32, "+
		"until twice as many are less than a fifth faster", func(text string) error {
		o.Workers = nil
		for part := range strings.SplitSeq(text, ",") {
			n, err := strconv.Atoi(strings.TrimSpace(part))
			if err != nil || n < 1 || len(o.Workers) > 0 && n <= o.Workers[len(o.Workers)-1] {
				return errors.New("must be whole numbers from 1 up, ascending")
			}
			o.Workers = append(o.Workers, n)
		}
		return nil
	})
}

// profile profiles a loader of its own, from epoch 0 on.
func (l *spool_loader) profile(ctx context.Context, o pipe.ProfileOptions) (made stats.Profile, err error) {
	if l.Streaming {
		return made, invalid.Errorf("profile: a stream cannot be read beside the loop")
	}
	var ld *loader.Loader
	if err := l.serial.do(ctx, func() (err error) {
		with := l.position(nil, 0)
		with.Epochs, with.Limit = math.MaxInt32, 0                    // there may be fewer samples than the profile needs
		with.Prefetch = (o.Items+with.Batch-1)/max(with.Batch, 1) + 1 // all samples of a round wait at the end
		ld, err = l.Open(l.source, with)
		return err
	}); err != nil {
		return made, err
	}
	made, err = ld.Profile(ctx, o)
	return made, errors.Join(err, unlessLeaked(ld.Close()))
}
