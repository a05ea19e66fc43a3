package av

import (
	"fmt"
	"sync/atomic"

	"github.com/spoolmedia/spool"
)

// Counted for the process, as C's memory is.
var handles, forgotten atomic.Int64

// Handles is the number of inputs, packets, decoders, frames and scalers that hold C memory now.
func Handles() int64 { return handles.Load() }

// Forgotten is the number of those that the garbage collector had to close: a bug of the caller's.
func Forgotten() int64 { return forgotten.Load() }

// held is C memory behind a handle.
type held interface{ free() }

// forget is the cleanup of a handle that became garbage before it was closed.
func forget(h held) {
	forgotten.Add(1)
	release(h)
}

func release(h held) {
	h.free()
	handles.Add(-1)
}

func closed(what string) error { return fmt.Errorf("av: %s: %w", what, spool.ErrClosed) }
