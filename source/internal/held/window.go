package held

import (
	"context"
	"fmt"

	"github.com/spoolmedia/spool"
)

// Window reads small parts of a file. It is used by one goroutine.
type Window struct {
	Object spool.Object
	Size   int64 // of the file
	ctx    context.Context
	block  int   // bytes that are read at a time
	at     int64 // of data
	data   []byte
}

// Bytes that are read at a time: the values before a long one of a local record, and much of a remote file.
const (
	localBlock  = 4 << 10
	remoteBlock = 4 << 20
)

// NewWindow returns a window. If the file is mostly read in its order, much of a remote one is requested at a time.
func NewWindow(ctx context.Context, o spool.Object, inOrder bool) *Window {
	w := &Window{Object: o, Size: o.Info().Size, ctx: ctx, block: localBlock}
	if inOrder && o.Info().Remote {
		w.block = remoteBlock
	}
	return w
}

// Read returns n bytes at a position, until the next call.
func (w *Window) Read(at, n int64) ([]byte, error) {
	if at < 0 || n < 0 || at > w.Size || n > w.Size-at {
		return nil, truncated(w.Size)
	}
	if at < w.at || at+n > w.at+int64(len(w.data)) {
		size := min(max(n, int64(w.block)), w.Size-at)
		if int64(cap(w.data)) < size {
			w.data = make([]byte, size)
		}
		w.at, w.data = at, w.data[:size]
		if m, err := spool.ReadRange(w.ctx, w.Object, w.data, at); int64(m) < size {
			w.data = w.data[:0]
			if err == nil {
				err = truncated(at + int64(m))
			}
			return nil, err
		}
	}
	return w.data[at-w.at:][:n], nil
}

// ReadAll returns n bytes at a position, in new memory.
func (w *Window) ReadAll(at, n int64) ([]byte, error) {
	if at < 0 || n < 0 || at > w.Size || n > w.Size-at {
		return nil, truncated(w.Size)
	}
	data := make([]byte, n)
	if m, err := spool.ReadRange(w.ctx, w.Object, data, at); int64(m) < n {
		if err == nil {
			err = truncated(at + int64(m))
		}
		return nil, err
	}
	return data, nil
}

func truncated(at int64) error {
	return &spool.Error{Op: "read", Class: spool.ErrTruncated,
		Text: fmt.Sprintf("the file ends within a sample, at byte %d", at)}
}
