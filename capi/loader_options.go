package main

import (
	"fmt"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/settings"
	"github.com/spoolmedia/spool/loader"
)

// media are the loaders' kinds.
var media = map[string]func(*settings.Set) *settings.Load{"images": (*settings.Set).Images, "video": (*settings.Set).Videos, "audio": (*settings.Set).Sounds}

// loaderOptions is what the options of a loader say.
type loaderOptions struct {
	*settings.Load
	prefetch int
	kept     int64  // bytes of a cache; 0: none
	failures string // file
	ring     int    // batches on a device
}

// define defines the options of a loader of that kind.
func (o *loaderOptions) define(set *settings.Set, kind string, sources []string) (judge func()) {
	settled := media[kind]
	if settled == nil {
		return func() { set.Refuse("a loader of %q: there are images, video and audio", kind) }
	}
	o.Load = settled(set)
	set.Number("prefetch", &o.prefetch, "2", 1, "finished batches that wait")
	set.Bytes("cache", &o.kept, "memory for decoded samples, which are not decoded again")
	set.Number("ring", &o.ring, "3", 2, "batches on a CUDA device: those that are held, and those on their way")
	set.Text("ledger", &o.failures, "FILE", "a JSON line for each bad sample")
	return func() {
		if len(sources) == 0 {
			set.Refuse("sources: nothing to load; give files, folders, patterns or @lists")
		}
		if o.Streaming && o.kept > 0 {
			set.Refuse("--streaming excludes --cache: no sample comes twice")
		}
		o.Judge(set, sources)
	}
}

// options are those of a run that goes on from some states, if there are any.
func (o *loaderOptions) options(from []loader.State) loader.Options {
	with := o.Options()
	with.Prefetch, with.Resume = o.prefetch, from
	return with
}

// problem is an argument that does not make sense.
func problem(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{spool.ErrOptions}, args...)...)
}
