package trace

import (
	"context"
	"errors"
	"io"
	"sync/atomic"

	"github.com/spoolmedia/spool/pipe"
)

// Tap is an Observer that writes traces of a pipeline while it runs, each for some time. While none is written, and
// without Next, an item costs an atomic load at each stage. It is safe for concurrent use.
type Tap struct {
	Next pipe.Observer // observes all work; may be nil

	recording atomic.Pointer[Writer]
}

// ErrRecording is the error of Record while another trace is written.
var ErrRecording = errors.New("trace: another trace is being written")

// Active reports whether a trace is being written, or Next observes the work.
func (t *Tap) Active() bool { return t.recording.Load() != nil || t.Next != nil }

// Details returns those of a trace while one is being written, and those of Next.
func (t *Tap) Details() pipe.Details {
	of := pipe.DetailsOf(t.Next)
	if w := t.recording.Load(); w != nil {
		of |= w.Details()
	}
	return of
}

// Worked passes an item on.
func (t *Tap) Worked(s pipe.Span) {
	if w := t.recording.Load(); w != nil {
		w.Worked(s)
	}
	if t.Next != nil {
		t.Next.Worked(s)
	}
}

// Record writes a trace of the work from now until ctx ends, which is no error, with what Go's runtime does. It returns
// the first error of w.
func (t *Tap) Record(ctx context.Context, w io.Writer) error {
	trace := NewWriter(w)
	if !t.recording.CompareAndSwap(nil, trace) {
		return ErrRecording
	}
	trace.Runtime()
	<-ctx.Done()
	t.recording.Store(nil)
	return trace.Close()
}
