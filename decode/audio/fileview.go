package audio

import (
	"context"
	"errors"
	"io"

	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/decode/internal/contents"
)

// fileView is a window of a file in memory. It moves as the file is read.
type fileView struct {
	*source
	buffer []byte
	from   int64 // offset of the buffer in the file
	have   int   // valid bytes in the buffer
}

// viewBytes is the size of a read.
const viewBytes = 64 << 10

// at returns the file's bytes from offset on: at least n unless the file ends before, and usually more. They are valid
// until the next call.
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

// move moves the view to n bytes from offset on. Bytes in both the old and the new view are not read again.
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
		got, abandoned, err := contents.ReadCancellable(c.Context(), to[v.have:n],
			func(ctx context.Context, p []byte) (int, error) {
				return v.read(ctx, p, offset+int64(v.have))
			})
		if abandoned {
			v.buffer, v.have = nil, 0 // the reader may still write to it
		}
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return ioError(c, err)
		}
		if got == 0 {
			v.size = min(v.size, offset+int64(v.have)) // the file is shorter than reported
			return nil
		}
		v.have += got
	}
	return nil
}
