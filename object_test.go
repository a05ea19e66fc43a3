package spool_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
)

// closer counts calls of Close.
type closer struct {
	*strings.Reader
	closed int
}

func (c *closer) Close() error {
	c.closed++
	return nil
}

func TestNewObject(t *testing.T) {
	info := spool.ObjectInfo{Name: "words", Size: 5, Identity: "of words", Version: "1"}
	r := &closer{Reader: strings.NewReader("spool")}
	o := spool.NewObject(r, info)
	assert.Equal(t, info, o.Info())
	p := make([]byte, 4)
	n, err := o.ReadAt(t.Context(), p, 2)
	assert.Equal(t, "ool", string(p[:n]))
	require.ErrorIs(t, err, io.EOF)
	ended, end := context.WithCancel(t.Context())
	end()
	_, err = o.ReadAt(ended, p, 0)
	require.ErrorIs(t, err, context.Canceled)
	require.NoError(t, o.Close())
	assert.Equal(t, 1, r.closed)
	require.NoError(t, spool.NewObject(bytes.NewReader(nil), spool.ObjectInfo{}).Close())
}

// exact is an object that counts reads of exact ranges.
type exact struct {
	spool.Object
	ranges int
}

func (e *exact) ReadRange(ctx context.Context, p []byte, off int64) (int, error) {
	e.ranges++
	return e.ReadAt(ctx, p, off)
}

func TestReadRange(t *testing.T) {
	plain := spool.NewObject(strings.NewReader("spool"), spool.ObjectInfo{Size: 5})
	e := &exact{Object: plain}
	for _, o := range []spool.Object{plain, e} {
		p := make([]byte, 3)
		n, err := spool.ReadRange(t.Context(), o, p, 1)
		require.NoError(t, err)
		assert.Equal(t, "poo", string(p[:n]))
	}
	assert.Equal(t, 1, e.ranges)
}

func ExampleNewObject() {
	data := strings.NewReader("a file in memory")
	o := spool.NewObject(data, spool.ObjectInfo{Name: "memory", Size: data.Size()})
	defer o.Close()
	p := make([]byte, 4)
	_, err := o.ReadAt(context.Background(), p, 2)
	fmt.Println(string(p), err)
	// Output: file <nil>
}
