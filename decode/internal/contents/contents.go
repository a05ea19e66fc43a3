package contents

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/internal/limit"
)

// firstBytes is how much of a remote image the request that opens it reads. Most images fit.
const firstBytes = 1 << 20

// Read reads an object into a buffer of pool, or onto the heap if pool is nil. Bytes in memory are not copied. The
// caller releases the buffer, which is nil if data is not in one.
func Read(ctx context.Context, o spool.Object, limits decode.Limits, pool *spool.Pool) (data []byte,
	buffer *spool.Buffer, err error) {
	switch form := o.(type) {
	case nil:
		return nil, nil, fmt.Errorf("%w: no object", spool.ErrOptions)
	case spool.Bytes:
		return form.Data, nil, nil
	case spool.Stream:
		data, err = readStream(ctx, form, limits)
		return data, nil, err
	case spool.Opener:
		if o, err = form.OpenParts(ctx, firstBytes, 0); err != nil {
			return nil, nil, err
		}
		defer o.Close()
	}
	size := o.Info().Size
	if size < 0 {
		return nil, nil, fmt.Errorf("%w: an object of %d bytes", spool.ErrOptions, size)
	}
	if err := limit.Size(limits, int(size)); err != nil {
		return nil, nil, err
	}
	if pool == nil {
		data = make([]byte, size)
		return data, nil, spool.ReadFull(ctx, o, data)
	}
	if buffer, err = spool.ReadBuffer(ctx, o, pool, 0); err != nil {
		return nil, nil, err
	}
	return buffer.Bytes(), buffer, nil
}

// streamBytes is the least that is requested of a stream's reader at a time.
const streamBytes = 64 << 10

// readStream reads a stream to its end, in steps: a reader that is abandoned reads no further than its step.
func readStream(ctx context.Context, s spool.Stream, limits decode.Limits) (data []byte, err error) {
	if s.Reader == nil {
		return nil, fmt.Errorf("%w: a stream without a reader", spool.ErrOptions)
	}
	limited := io.LimitReader(s.Reader, min(limits.MaxBytes, math.MaxInt64-1)+1)
	for {
		data = slices.Grow(data, streamBytes)
		n, _, err := ReadCancellable(ctx, data[len(data):cap(data)], func(_ context.Context, p []byte) (int, error) {
			return io.ReadFull(limited, p)
		})
		data = data[:len(data)+n]
		switch {
		case int64(len(data)) > limits.MaxBytes:
			return nil, limit.Exceeded("more than %d bytes, the limit for a file", limits.MaxBytes)
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return data, nil
		case err != nil:
			return nil, err
		}
	}
}

// Named adds the name of the object to an error, if it has a name.
func Named(o spool.Object, err error) error {
	if err == nil {
		return nil
	}
	name := NameOf(o)
	if name == "" {
		return err
	}
	return spool.InFile(err, name)
}

// NameOf is the object's name in errors.
func NameOf(o spool.Object) string {
	switch form := o.(type) {
	case nil:
		return ""
	case spool.File:
		return string(form)
	}
	return o.Info().Name
}
