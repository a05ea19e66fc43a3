package main

/*
#include "device.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"os"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/internal/settings"
	"github.com/spoolmedia/spool/internal/simulate"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/observe/metrics"
	"github.com/spoolmedia/spool/pipe/costs"
	"github.com/spoolmedia/spool/transfer"
)

// readOptions parses a JSON object of options. define defines them, and judge checks them once all are read.
func readOptions(json *C.char, define func(*settings.Set) (judge func())) error {
	set := settings.Set{Helper: helper()}
	judge := define(&set)
	if text := C.GoString(json); text != "" {
		set.JSON([]byte(text))
	}
	judge()
	return set.Err()
}

// media are the settings of loaders, by kind.
var media = map[string]func(*settings.Set) *settings.Load{"images": (*settings.Set).LoadImages,
	"video": (*settings.Set).LoadVideo, "audio": (*settings.Set).LoadAudio, "records": (*settings.Set).LoadRecords}

// loaderOptions is the options of a loader.
type loaderOptions struct {
	*settings.Load
	ledgerPath string // path of the ledger
	tracePath  string // path of the trace; empty: none
	receipts   string // path of the receipts of batches; empty: none
	digests    bool   // of their samples
	costs      string // path of the costs; empty: none
	ring       int    // batches on a device
	otlp       bool   // metrics are sent
	exporter   *metrics.Exporter

	allocator func() transfer.DeviceMemory // of batches on a device
}

// define defines the options of a loader of this kind.
func (o *loaderOptions) define(set *settings.Set, kind string, sources []string) (judge func()) {
	settled := media[kind]
	if settled == nil {
		return func() { set.Refuse("kind %q: must be images, video, audio or records", kind) }
	}
	o.Load = settled(set)
	set.Number("ring", &o.ring, "3", 2, "batches on a CUDA device: those that the caller holds, and those in flight")
	o.allocator = defineAllocator(set)
	set.Boolean("otlp", &o.otlp, false, "send metrics to a collector of OpenTelemetry")
	set.Text("ledger", &o.ledgerPath, "FILE", "a JSON line for each bad sample")
	set.Text("trace", &o.tracePath, "FILE", "a trace of all workers")
	set.Text("receipts", &o.receipts, "FILE", "what was in each batch")
	set.Text("costs", &o.costs, "FILE", "what the samples cost at each stage")
	set.Boolean("receipt-digests", &o.digests, false, "the SHA-256 of each sample in --receipts")
	return func() {
		if len(sources) == 0 {
			set.Refuse("sources: nothing to load; give files, folders, patterns or @lists")
		}
		if o.receipts != "" && (o.Options().Order == batch.Any || o.Headspace) {
			set.Refuse("--receipts needs --order=exact, and excludes --headspace: only such batches can be made again")
		}
		if o.digests && o.receipts == "" {
			set.Refuse("--receipt-digests needs --receipts")
		}
		if o.otlp {
			var err error
			if o.exporter, err = metrics.FromEnvironment(os.Getenv); err != nil {
				set.Refuse("--otlp: %v", err)
			}
		}
		o.Judge(set, sources)
	}
}

// options returns the loader's options for a run that continues from states, if there are any.
func (o *loaderOptions) options(from []loader.State) loader.Options {
	with := o.Options()
	with.Resume = from
	return with
}

// record makes a loader record its costs, if they are wanted.
func (o *loaderOptions) record(with *loader.Options) *costs.Recorder {
	if o.costs == "" {
		return nil
	}
	return simulate.Record(with)
}

// allocator is the caller's allocator of device memory: C functions as CUDAPluggableAllocator of PyTorch has them.
type allocator struct{ alloc, free C.uintptr_t }

// defineAllocator defines the option of an allocator. It returns nil until both functions are given.
func defineAllocator(set *settings.Set) func() transfer.DeviceMemory {
	var a allocator
	set.Add("allocator", "ALLOC,FREE", "", "addresses of two functions, like 0x7f00,0x7f80, that allocate the memory of "+
		"batches on a CUDA device", func(text string) error {
		if _, err := fmt.Sscanf(text, "0x%x,0x%x", &a.alloc, &a.free); err != nil || a.alloc == 0 || a.free == 0 {
			return errors.New("must be two addresses, like 0x7f00,0x7f80")
		}
		return nil
	})
	return func() transfer.DeviceMemory {
		if a == (allocator{}) {
			return nil
		}
		return a
	}
}

// Alloc calls the caller's function.
func (a allocator) Alloc(n, number int, s spool.DeviceStream) (uint64, error) {
	memory := C.spool_device_alloc(a.alloc, C.int64_t(n), C.int(number), C.uintptr_t(s))
	if memory == 0 {
		return 0, fmt.Errorf("%w: the allocator has no %d bytes of cuda:%d", spool.ErrOutOfMemory, n, number)
	}
	return uint64(memory), nil
}

// Free calls the caller's function.
func (a allocator) Free(memory uint64, n, number int, s spool.DeviceStream) error {
	C.spool_device_dealloc(a.free, C.uintptr_t(memory), C.int64_t(n), C.int(number), C.uintptr_t(s))
	return nil
}
