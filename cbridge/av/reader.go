package av

/*
#include <stdint.h>
*/
import "C"

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/cgo"
	"time"
	"unsafe"

	"github.com/spoolmedia/spool"
)

// reader reads for C if the bytes come from Go. It belongs to an input, and is used by the input's goroutine.
type reader struct {
	read   func(ctx context.Context, p []byte, off int64) (int, error)
	ctx    context.Context // of the current call
	buffer []byte          // Go memory, because an abandoned read may still write to it
	err    error           // the first error except io.EOF; the input fails with it
}

// grace is how long a reader may take to return after its context has ended.
const grace = 20 * time.Millisecond

// errAbandoned is the cause if a reader did not return.
var errAbandoned = errors.New("the reader did not return in time and was abandoned")

// fill reads up to n bytes into the buffer. A reader that does not return after its context has ended is abandoned,
// together with the buffer. At the end fill returns io.EOF without bytes.
func (r *reader) fill(n int, off int64) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	if len(r.buffer) < n {
		r.buffer = make([]byte, n)
	}
	n, err := r.some(r.buffer[:n], off)
	if n > 0 {
		return n, nil // the next call returns an error again
	}
	if !errors.Is(err, io.EOF) {
		r.err = err
	}
	return 0, err
}

// some reads at least one byte, or returns an error.
func (r *reader) some(p []byte, off int64) (int, error) {
	if r.ctx.Done() == nil {
		return atLeastOne(r.ctx, r.read, p, off)
	}
	type result struct {
		n   int
		err error
	}
	done := make(chan result, 1)
	go func(ctx context.Context) {
		n, err := atLeastOne(ctx, r.read, p, off)
		done <- result{n, err}
	}(r.ctx)
	select {
	case got := <-done:
		return got.n, got.err
	case <-r.ctx.Done():
	}
	select {
	case got := <-done:
		return got.n, got.err
	case <-time.After(grace):
		r.buffer = nil
		return 0, fmt.Errorf("%w: %w", errAbandoned, r.ctx.Err())
	}
}

// atLeastOne calls a reader of the caller's, which may violate its contract.
func atLeastOne(ctx context.Context, read func(context.Context, []byte, int64) (int, error), p []byte,
	off int64) (n int, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			n, err = 0, fmt.Errorf("%w: the reader panicked: %v", spool.ErrIO, cause)
		}
	}()
	for range 100 { // as in bufio.Reader
		n, err = read(ctx, p, off)
		switch {
		case n < 0 || n > len(p):
			return 0, fmt.Errorf("%w: the reader says that it read %d bytes of %d", spool.ErrIO, n, len(p))
		case n > 0 || err != nil:
			return n, err
		}
	}
	return 0, io.ErrNoProgress
}

//export spoolAVRead
func spoolAVRead(handle C.uintptr_t, buffer *C.uint8_t, size C.int, off C.int64_t) C.int {
	r := cgo.Handle(handle).Value().(*reader)
	n, err := r.fill(int(size), int64(off))
	switch {
	case errors.Is(err, io.EOF):
		return 0
	case err != nil:
		return -1
	}
	copy(unsafe.Slice((*byte)(buffer), n), r.buffer)
	return C.int(n)
}
