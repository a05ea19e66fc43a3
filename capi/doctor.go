package main

/*
#include <stdlib.h>
#include "array.h"
*/
import "C"

import (
	"context"
	"runtime"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/mem"
	"github.com/spoolmedia/spool/cbridge/vips"
	"github.com/spoolmedia/spool/internal/checkup"
	"github.com/spoolmedia/spool/internal/settings"
	"github.com/spoolmedia/spool/source/object"
)

// libraryStats is the result of spool_stats, for programs and tests that look for leaks.
type libraryStats struct {
	Arrays     int64 `json:"arrays"`     // with holders
	Handles    int   `json:"handles"`    // including those of arrays
	Decoders   int   `json:"decoders"`   // shared by handles
	UsedBytes  int64 `json:"used_bytes"` // of results
	KeptBytes  int64 `json:"kept_bytes"` // kept for reuse
	CBytes     int64 `json:"c_bytes"`    // allocated from C's heap by running calls and by decoders
	HeapBytes  int64 `json:"go_heap_bytes"`
	Vips       int64 `json:"libvips_bytes"`
	FFmpeg     int64 `json:"ffmpeg_handles"`
	Goroutines int   `json:"goroutines"`
	Forgotten  int64 `json:"forgotten_pools"` // above 0 is a bug of the library
}

func count() libraryStats {
	s := libraryStats{Arrays: int64(C.spool_array_count()), CBytes: mem.InUse(),
		Vips: vips.InUse(), FFmpeg: av.Handles(), Goroutines: runtime.NumGoroutine(), Forgotten: spool.ForgottenPools()}
	handles.table.Range(func(any, any) bool {
		s.Handles++
		return true
	})
	library.mu.Lock()
	s.Decoders = len(library.decoders)
	library.mu.Unlock()
	pool := library.results.Stats()
	s.UsedBytes, s.KeptBytes = pool.HeldBytes-pool.KeptBytes, pool.KeptBytes
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	s.HeapBytes = int64(m.HeapAlloc)
	return s
}

//export goDoctor
func goDoctor(json **C.spool_array, e *C.spool_error) C.int32_t {
	return guard(e, "doctor", func() error {
		found, err := checkup.Examine(vips.Reads, helper())
		if err == nil {
			*json, err = jsonArray(found)
		}
		return err
	})
}

//export goDoctorStore
func goDoctorStore(url, options *C.char, cancel C.uintptr_t, json **C.spool_array, e *C.spool_error) C.int32_t {
	return guard(e, "doctor", func() error {
		var with object.Options
		if err := readOptions(options, func(set *settings.Set) func() {
			set.Stores(&with)
			return func() {}
		}); err != nil {
			return err
		}
		return withCancel(context.Background(), cancel, func(ctx context.Context) error {
			found, err := checkup.ExamineStore(ctx, C.GoString(url), with)
			if err != nil && (found.Error == "" || ctx.Err() != nil) {
				return err
			}
			found.Advice = settings.AllAs(found.Advice, settings.AsKeys)
			*json, err = jsonArray(found)
			return err
		})
	})
}

//export goStats
func goStats(json **C.spool_array, e *C.spool_error) C.int32_t {
	return guard(e, "stats", func() (err error) {
		*json, err = jsonArray(count())
		return err
	})
}

// version is never freed.
var version = C.CString(checkup.Commit())

//export goVersion
func goVersion() *C.char { return version }
