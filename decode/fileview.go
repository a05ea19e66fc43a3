package decode

import (
	"context"
	"errors"
	"io"

	"github.com/spoolmedia/spool/cbridge/call"
)

// fileView is a part of a file in memory, which moves along.
type fileView struct {
	*soundSource
	buffer []byte
	from   int64 // where in the file the buffer begins
	have   int   // bytes of it
}

// viewBytes is how much is read at a time.
const viewBytes = 64 << 10

// at gives the file's bytes from an offset on, at least n of them unless the file ends before, and usually more. They are
// lent until the next call.
func (v *fileView) at(c *call.Call, offset int64, n int) ([]byte, error) {
	if v.data != nil {
		return v.data[min(offset, v.size):], nil
	}
	if offset >= v.from && offset+int64(n) <= v.from+int64(v.have) || offset >= v.from && v.from+int64(v.have) == v.size {
		return v.buffer[min(offset-v.from, int64(v.have)):v.have], nil
	}
	if err := v.move(c, offset, int(min(int64(max(n, viewBytes)), max(v.size-offset, 0)))); err != nil {
		return nil, err
	}
	return v.buffer[:v.have], nil
}

// move makes the view n bytes long from an offset on. What it has of them stays.
func (v *fileView) move(c *call.Call, offset int64, n int) error {
	old := v.buffer[:v.have]
	if gone := offset - v.from; gone >= 0 && gone < int64(len(old)) {
		old = old[gone:]
	} else {
		old = nil
	}
	to := v.buffer
	if len(to) < n {
		to = make([]byte, n)
	}
	v.buffer, v.from, v.have = to, offset, copy(to, old)
	for v.have < n {
		got, abandoned, err := patiently(c.Context(), to[v.have:n], func(ctx context.Context, p []byte) (int, error) {
			return v.read(ctx, p, offset+int64(v.have))
		})
		if abandoned {
			v.buffer, v.have = nil, 0 // the reader may still write to it
		}
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return ioError(c, err)
		}
		if got == 0 {
			v.size = min(v.size, offset+int64(v.have)) // less than it was said to be
			return nil
		}
		v.have += got
	}
	return nil
}
