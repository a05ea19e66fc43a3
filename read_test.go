package spool_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
)

// object is an Object whose content may be longer or shorter than its size.
type object struct {
	size int64
	data []byte
	err  error // after the data; nil: io.EOF
	most int   // bytes read beyond this fail the test
	t    *testing.T
}

func (o *object) Info() spool.ObjectInfo { return spool.ObjectInfo{Size: o.size} }
func (o *object) Close() error           { return nil }

func (o *object) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	n := 0
	if off < int64(len(o.data)) {
		n = copy(p, o.data[off:])
	}
	if o.most > 0 {
		require.LessOrEqual(o.t, off+int64(n), int64(o.most), "reads too much")
	}
	if n == len(p) {
		return n, nil
	}
	if o.err != nil {
		return n, o.err
	}
	return n, io.EOF
}

// lazy breaks the rule that a read of fewer bytes returns an error.
type lazy struct{ object }

func (o *lazy) ReadAt(context.Context, []byte, int64) (int, error) { return 0, nil }

func TestReadAll(t *testing.T) {
	data := randomBytes()[:10_000]
	broken := errors.New("broken")
	for _, c := range []struct {
		name  string
		o     object
		buf   []byte
		limit int64
		want  []byte
		err   error
	}{
		{name: "plain", o: object{size: 10_000, data: data}, want: data},
		{name: "into a buffer", o: object{size: 10_000, data: data}, buf: make([]byte, 5, 20_000), want: data},
		{name: "into a small buffer", o: object{size: 10_000, data: data}, buf: make([]byte, 100), want: data},
		{name: "just below the limit", o: object{size: 10_000, data: data}, limit: 10_000, want: data},
		{name: "empty", o: object{}, want: []byte{}},
		{name: "above the limit", o: object{size: 10_000, data: data, most: 1}, limit: 9_999, err: spool.ErrTooLarge},
		{name: "grown", o: object{size: 10, data: data}, want: data},
		{name: "grown from nothing", o: object{size: 0, data: data}, want: data},
		{name: "grown to the limit", o: object{size: 10, data: data}, limit: 10_000, want: data},
		{name: "grown above the limit", o: object{size: 10, data: data, most: 200}, limit: 100, err: spool.ErrTooLarge},
		{name: "grown above by one", o: object{size: 9_999, data: data}, limit: 9_999, err: spool.ErrTooLarge},
		{name: "shrunk", o: object{size: 20_000, data: data}, want: data},
		{name: "broken", o: object{size: 20_000, data: data, err: broken}, err: broken},
		{name: "broken at the end", o: object{size: 10_000, data: data, err: broken}, err: broken},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.o.t = t
			got, err := spool.ReadAll(t.Context(), &c.o, c.buf, c.limit)
			require.ErrorIs(t, err, c.err)
			if c.err != nil {
				assert.Nil(t, got)
				return
			}
			assert.True(t, bytes.Equal(c.want, got))
			if cap(c.buf) > len(got) {
				assert.Same(t, &c.buf[:1][0], &got[0], "the caller's memory is used")
			}
		})
	}
}

func TestReadBuffer(t *testing.T) {
	data := randomBytes()[:10_000]
	broken := errors.New("broken")
	pool, err := spool.NewPool(spool.PoolOptions{MaxBytes: 1 << 20})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, pool.Close(), "nothing may be left in use") })
	for _, c := range []struct {
		name  string
		o     object
		limit int64
		class error
		text  string
	}{
		{name: "plain", o: object{size: 10_000, data: data}},
		{name: "just below the limit", o: object{size: 10_000, data: data}, limit: 10_000},
		{name: "empty", o: object{}},
		{name: "above the limit", o: object{size: 10_000, data: data, most: 1}, limit: 9_999, class: spool.ErrTooLarge,
			text: "more than 9999 bytes, the limit for a file"},
		{name: "above the pool", o: object{size: 2 << 20, data: data, most: 1}, class: spool.ErrTooLarge,
			text: "2097152 bytes are more than the pool's ceiling of 1048576"},
		{name: "grown", o: object{size: 10, data: data, most: 11}, class: spool.ErrIO,
			text: "changed while it was read: 10 bytes when opened, now more"},
		{name: "grown above the limit", o: object{size: 10, data: data, most: 11}, limit: 10, class: spool.ErrIO,
			text: "changed while it was read: 10 bytes when opened, now more"},
		{name: "shrunk", o: object{size: 20_000, data: data}, class: spool.ErrIO,
			text: "changed while it was read: 20000 bytes when opened, now fewer"},
		{name: "broken", o: object{size: 20_000, data: data, err: broken}, class: broken},
		{name: "broken at the end", o: object{size: 10_000, data: data, err: broken}, class: broken},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.o.t = t
			b, err := spool.ReadBuffer(t.Context(), &c.o, pool, c.limit)
			require.ErrorIs(t, err, c.class)
			if c.class != nil {
				assert.Nil(t, b)
				if e, ok := errors.AsType[*spool.Error](err); ok {
					assert.Equal(t, c.text, e.Text)
				}
				return
			}
			assert.True(t, bytes.Equal(c.o.data, b.Bytes()))
			assert.EqualValues(t, 1, pool.Stats().Use[spool.Compressed].Buffers)
			b.Release()
		})
	}
}

func TestReadBufferCanceled(t *testing.T) {
	pool, err := spool.NewPool(spool.PoolOptions{MaxBytes: 8192})
	require.NoError(t, err)
	held, err := pool.Get(t.Context(), 8192)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := spool.ReadBuffer(ctx, &object{size: 10, data: make([]byte, 10)}, pool, 0)
		done <- err
	}()
	cancel()
	assert.ErrorIs(t, <-done, context.Canceled)
	held.Release()
	assert.NoError(t, pool.Close())
}

// TestReadAllOfStream reads what has no size.
func TestReadAllOfStream(t *testing.T) {
	stream := spool.Stream{Reader: bytes.NewReader([]byte("abc")), Name: "stdin"}
	_, err := spool.ReadAll(t.Context(), stream, nil, 0)
	assert.ErrorIs(t, err, spool.ErrOptions)
	pool, err := spool.NewPool(spool.PoolOptions{})
	require.NoError(t, err)
	_, err = spool.ReadBuffer(t.Context(), stream, pool, 0)
	assert.ErrorIs(t, err, spool.ErrOptions)
	assert.NoError(t, pool.Close())
}

func TestReadsThatMakeNoProgress(t *testing.T) {
	o := &lazy{object{size: 10}}
	_, err := spool.ReadAll(t.Context(), o, nil, 0)
	assert.ErrorIs(t, err, io.ErrNoProgress)
	pool, err := spool.NewPool(spool.PoolOptions{})
	require.NoError(t, err)
	_, err = spool.ReadBuffer(t.Context(), o, pool, 0)
	assert.ErrorIs(t, err, io.ErrNoProgress)
	assert.NoError(t, pool.Close())
}

// TestReadFileThatGrows appends to a file while it is read.
func TestReadFileThatGrows(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("a.jpg", []byte("a.jpg"), 0o644))
	o, err := spool.File("a.jpg").Open()
	require.NoError(t, err)
	defer o.Close()
	require.NoError(t, os.WriteFile("a.jpg", []byte("grown"), 0o644))
	got, err := spool.ReadAll(t.Context(), o, nil, 5)
	require.NoError(t, err)
	assert.Equal(t, "grown", string(got))
	_, err = spool.ReadAll(t.Context(), o, nil, 4)
	assert.ErrorIs(t, err, spool.ErrTooLarge)
}

func TestReadAllWithoutAllocation(t *testing.T) {
	t.Chdir(t.TempDir())
	data := randomBytes()
	require.NoError(t, os.WriteFile("a.jpg", data, 0o644))
	o, err := spool.File("a.jpg").Open()
	require.NoError(t, err)
	defer o.Close()
	buf := make([]byte, len(data))
	assert.LessOrEqual(t, testing.AllocsPerRun(10, func() {
		if got, err := spool.ReadAll(t.Context(), o, buf, 0); err != nil || len(got) != len(data) {
			t.Fatal(len(got), err)
		}
	}), 1.0, "the byte that looks for more")
}

func randomBytes() []byte {
	p := make([]byte, 2<<20+17)
	_, _ = rand.NewChaCha8([32]byte{}).Read(p) // it never fails
	return p
}
