package av

import (
	"fmt"
	"sync/atomic"

	"github.com/spoolmedia/spool"
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
