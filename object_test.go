package spool_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
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

func TestFile(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "five")
	require.NoError(t, os.WriteFile(path, []byte("spool"), 0o600))
	opened, err := spool.File(path).Open()
	require.NoError(t, err)
	info := opened.Info()
	assert.Equal(t, [3]any{path, path, int64(5)}, [3]any{info.Name, info.Path, info.Size})
	assert.NotEmpty(t, info.Identity)
	assert.NotEmpty(t, info.Version)
	assert.Equal(t, info, spool.File(path).Info())
	p := make([]byte, 4)
	for _, o := range []spool.Object{opened, spool.File(path)} {
		n, err := o.ReadAt(t.Context(), p, 2)
		assert.Equal(t, "ool", string(p[:n]))
		require.ErrorIs(t, err, io.EOF)
	}
	require.NoError(t, opened.Close())
	require.NoError(t, opened.Close())
	_, err = opened.ReadAt(t.Context(), p, 0)
	require.ErrorIs(t, err, spool.ErrClosed)

	require.NoError(t, syscall.Mkfifo(filepath.Join(folder, "pipe"), 0o600))
	for name, want := range map[string]spool.Class{"none": spool.ErrNotFound, "five/below": spool.ErrNotFound,
		"": spool.ErrNotAFile, "pipe": spool.ErrNotAFile} {
		file := spool.File(filepath.Join(folder, name))
		_, err := file.Open()
		require.ErrorIs(t, err, want, name)
		assert.ErrorContains(t, err, string(file))
		_, err = file.ReadAt(t.Context(), p, 0)
		require.ErrorIs(t, err, want, name)
		assert.Equal(t, spool.ObjectInfo{Name: string(file), Path: string(file)}, file.Info())
	}
}

func TestBytes(t *testing.T) {
	b := spool.Bytes{Data: []byte("spool"), Name: "five", Identity: "of five"}
	assert.Equal(t, spool.ObjectInfo{Name: "five", Size: 5, Identity: "of five"}, b.Info())
	p := make([]byte, 2)
	n, err := b.ReadAt(t.Context(), p, 1)
	require.NoError(t, err)
	assert.Equal(t, "po", string(p[:n]))
	for _, off := range []int64{5, 6, 1 << 40} {
		n, err = b.ReadAt(t.Context(), p, off)
		require.ErrorIs(t, err, io.EOF)
		assert.Zero(t, n)
	}
	_, err = b.ReadAt(t.Context(), p, -1)
	require.ErrorIs(t, err, spool.ErrIO)
	ended, end := context.WithCancel(t.Context())
	end()
	_, err = b.ReadAt(ended, p, 0)
	require.ErrorIs(t, err, context.Canceled)
	require.NoError(t, b.Close())
}

func TestStream(t *testing.T) {
	s := spool.Stream{Reader: strings.NewReader("spool"), Name: "pipe"}
	assert.Equal(t, spool.ObjectInfo{Name: "pipe", Size: -1}, s.Info())
	_, err := s.ReadAt(t.Context(), make([]byte, 1), 0)
	require.ErrorIs(t, err, spool.ErrUnsupported)
	require.NoError(t, s.Close())
}

func TestOpener(t *testing.T) {
	o, err := spool.Opener(spool.File("object_test.go")).OpenParts(t.Context(), 1, 1)
	require.NoError(t, err)
	assert.Equal(t, spool.File("object_test.go").Info(), o.Info())
	require.NoError(t, o.Close())
}
