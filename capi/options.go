package main

import "C"

import (
	"github.com/spoolmedia/spool/internal/settings"
	"github.com/spoolmedia/spool/loader"
)

// readOptions parses a JSON object of options. define defines them, and judge checks them once all are read.
func readOptions(json *C.char, define func(*settings.Set) (judge func())) error {
	var set settings.Set
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
	ring       int    // batches on a device
}

// define defines the options of a loader of this kind.
func (o *loaderOptions) define(set *settings.Set, kind string, sources []string) (judge func()) {
	settled := media[kind]
	if settled == nil {
		return func() { set.Refuse("kind %q: must be images, video, audio or records", kind) }
	}
	o.Load = settled(set)
	set.Number("ring", &o.ring, "3", 2, "batches on a CUDA device: those that the caller holds, and those in flight")
	set.Text("ledger", &o.ledgerPath, "FILE", "a JSON line for each bad sample")
	return func() {
		if len(sources) == 0 {
			set.Refuse("sources: nothing to load; give files, folders, patterns or @lists")
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
