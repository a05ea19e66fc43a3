package av

import (
	"fmt"
	"sync/atomic"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/mem"
)

// The counters are global to the process, like C memory.
var handles, forgotten atomic.Int64

// Handles returns the number of inputs, packets, decoders, frames and scalers that hold C memory.
func Handles() int64 { return handles.Load() }

// Forgotten returns the number of handles that the garbage collector had to free: a bug in the caller.
func Forgotten() int64 { return forgotten.Load() }

// resource is the C memory of a handle.
type resource interface{ free() }

// forget is the cleanup of a handle that was not closed before it became garbage.
func forget(r resource) {
	forgotten.Add(1)
	release(r)
}

func release(r resource) {
	r.free()
	handles.Add(-1)
}

func closed(what string) error { return fmt.Errorf("av: %s: %w", what, spool.ErrClosed) }

// age is the number of allocations in C that had failed in the process when a handle was opened. FFmpeg hides some such
// failures: frames or packets are missing, or have other content. It also has threads that work between calls. So no
// result of a handle is valid once an allocation has failed, wherever in the process.
type age uint64

func now() age { return age(mem.Failures()) }

// stale reports whether an allocation has failed since.
func (a age) stale() bool { return a != now() }

// err returns the error of a stale handle, or nil.
func (a age) err() error {
	if !a.stale() {
		return nil
	}
	return fmt.Errorf("%w: ffmpeg: an allocation has failed since it was opened", spool.ErrOutOfMemory)
}

// verify replaces the error of a call, or its success, if the handle is stale. Methods defer it.
func (a age) verify(err *error) {
	if stale := a.err(); stale != nil {
		*err = stale
	}
}
