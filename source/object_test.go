package source_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source"
)

// contents are longer than one read of a file.
func contents() []byte {
	p := make([]byte, 2<<20+17)
	_, _ = rand.NewChaCha8([32]byte{}).Read(p) // it never fails
	return p
}

// places opens the same file in each possible way.
func places(t *testing.T, data []byte) map[string]source.Source {
	t.Helper()
	tree(t)
	require.NoError(t, os.WriteFile("a.jpg", data, 0o644))
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	w, err := z.Create("a.jpg")
	require.NoError(t, err)
	_, err = w.Write(data)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	unzip, err := zip.NewReader(bytes.NewReader(archive.Bytes()), int64(archive.Len()))
	require.NoError(t, err)

	list := map[string]source.Source{"system": source.Files("a.jpg")}
	for name, fsys := range map[string]fs.FS{
		"os.DirFS": os.DirFS("."), "MapFS": fstest.MapFS{"a.jpg": &fstest.MapFile{Data: data}}, "zip": unzip,
	} {
		s, err := source.FS(t.Context(), fsys, ".", source.Options{})
		require.NoError(t, err)
		list[name] = s
	}
	return list
}

func TestObject(t *testing.T) {
	data := contents()
	size := int64(len(data))
	for name, s := range places(t, data) {
		t.Run(name, func(t *testing.T) {
			o, err := s.Open(t.Context(), 0)
			require.NoError(t, err)
			assert.Equal(t, size, o.Info().Size)

			for _, c := range []struct {
				off, len int64
				n        int64
				err      error
			}{
				{0, 10, 10, nil}, {5, 0, 0, nil}, {100, 1<<20 + 1, 1<<20 + 1, nil}, {50, 10, 10, nil}, {0, size, size, nil},
				{size - 10, 10, 10, nil}, {size - 10, 11, 10, io.EOF}, {size, 1, 0, io.EOF}, {size + 100, 1, 0, io.EOF},
				{0, size + 1, size, io.EOF},
			} {
				if c.off > size && name == "MapFS" {
					continue // it calls that invalid
				}
				p := make([]byte, c.len)
				n, err := o.ReadAt(t.Context(), p, c.off)
				require.EqualValues(t, c.n, n, "%d bytes at %d", c.len, c.off)
				if c.err == nil && n == len(p) {
					require.True(t, err == nil || errors.Is(err, io.EOF))
				} else {
					require.Equal(t, c.err, err)
				}
				if n > 0 {
					require.True(t, bytes.Equal(data[c.off:c.off+c.n], p[:n]), "%d bytes at %d", c.len, c.off)
				}
			}

			canceled, cancel := context.WithCancel(t.Context())
			cancel()
			n, err := o.ReadAt(canceled, make([]byte, 1), 0)
			assert.Zero(t, n)
			assert.ErrorIs(t, err, spool.ErrCanceled)
			_, err = s.Open(canceled, 0)
			assert.ErrorIs(t, err, spool.ErrCanceled)

			require.NoError(t, o.Close())
			require.NoError(t, o.Close(), "closing again does nothing")
			_, err = o.ReadAt(t.Context(), make([]byte, 1), 0)
			assert.ErrorIs(t, err, spool.ErrClosed)
		})
	}
}

func TestObjectConcurrently(t *testing.T) {
	data := contents()
	for name, s := range places(t, data) {
		t.Run(name, func(t *testing.T) {
			o, err := s.Open(t.Context(), 0)
			require.NoError(t, err)
			defer o.Close()
			var wg sync.WaitGroup
			for i := range 4 {
				wg.Go(func() {
					r := rand.New(rand.NewPCG(uint64(i), 0))
					p := make([]byte, 1000)
					for range 10 {
						off := r.Int64N(int64(len(data) - len(p)))
						n, err := o.ReadAt(t.Context(), p, off)
						assert.NoError(t, err)
						assert.True(t, bytes.Equal(data[off:off+int64(n)], p))
					}
				})
			}
			wg.Wait()
		})
	}
}

// cancelling is a file that cancels its reader's context at the first read.
type cancelling struct {
	fs.File
	cancel context.CancelFunc
	reads  int
}

func (c *cancelling) ReadAt(p []byte, _ int64) (int, error) {
	c.reads++
	c.cancel()
	return len(p), nil
}

func TestCancelBetweenReads(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	base := fstest.MapFS{"a.jpg": &fstest.MapFile{}}
	f, err := base.Open("a.jpg")
	require.NoError(t, err)
	file := &cancelling{File: f, cancel: cancel}
	s, err := source.FS(ctx, only{base, file}, ".", source.Options{})
	require.NoError(t, err)
	o, err := s.Open(ctx, 0)
	require.NoError(t, err)
	defer o.Close()
	n, err := o.ReadAt(ctx, make([]byte, 10<<20), 0)
	assert.ErrorIs(t, err, spool.ErrCanceled)
	assert.Equal(t, 1, file.reads)
	assert.LessOrEqual(t, n, 1<<20)
}

// only opens the same file for every name, and lists as the embedded file system does.
type only struct {
	fstest.MapFS
	file fs.File
}

func (o only) Open(name string) (fs.File, error) {
	if name == "a.jpg" {
		return o.file, nil
	}
	return o.MapFS.Open(name)
}

// failing is a file whose reads fail.
type failing struct{ fs.File }

func (failing) ReadAt([]byte, int64) (int, error) { return 0, syscall.EIO }

func TestReadFails(t *testing.T) {
	base := fstest.MapFS{"a.jpg": &fstest.MapFile{}}
	f, err := base.Open("a.jpg")
	require.NoError(t, err)
	s, err := source.FS(t.Context(), only{base, failing{f}}, ".", source.Options{})
	require.NoError(t, err)
	o, err := s.Open(t.Context(), 0)
	require.NoError(t, err)
	defer o.Close()
	_, err = o.ReadAt(t.Context(), make([]byte, 1), 0)
	var e *spool.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, spool.Error{Op: "read", File: "a.jpg", Class: spool.ErrIO, Text: "input/output error",
		Err: syscall.EIO}, *e)
}

// TestOpenRefuses: anything but a regular file is refused, without waiting for its other end.
func TestOpenRefuses(t *testing.T) {
	tree(t, "folder/", "file")
	require.NoError(t, syscall.Mkfifo("pipe", 0o644))
	listener, err := net.Listen("unix", "socket")
	require.NoError(t, err)
	defer listener.Close()
	link(t, "pipe", "link to pipe")
	link(t, "loop", "loop")
	link(t, "nowhere", "dangling")
	for _, c := range []struct {
		name  string
		class spool.Class
		text  string
	}{
		{"folder", spool.ErrNotAFile, "a folder, where a regular file is needed"},
		{"pipe", spool.ErrNotAFile, "a named pipe, where a regular file is needed"},
		{"link to pipe", spool.ErrNotAFile, "a named pipe, where a regular file is needed"},
		{"socket", spool.ErrNotAFile, "no such device or address"},
		{"/dev/null", spool.ErrNotAFile, "a device, where a regular file is needed"},
		{"nowhere", spool.ErrNotFound, "no such file or directory"},
		{"dangling", spool.ErrNotFound, "no such file or directory"},
		{"file/below", spool.ErrNotFound, "not a directory"},
		{"", spool.ErrNotFound, "no such file or directory"},
		{"loop", spool.ErrIO, "too many levels of symbolic links"},
		{"nul\x00", spool.ErrIO, "invalid argument"},
		{string(bytes.Repeat([]byte{'x'}, 300)), spool.ErrIO, "file name too long"},
	} {
		before := openFiles()
		o, err := source.Files(c.name).Open(t.Context(), 0)
		assert.Nil(t, o)
		var e *spool.Error
		require.ErrorAs(t, err, &e, "%q", c.name)
		assert.Equal(t, c.class, e.Class, "%q", c.name)
		assert.Equal(t, c.text, e.Text, "%q", c.name)
		assert.Equal(t, c.name, e.File)
		assert.Equal(t, "open", e.Op)
		assert.Equal(t, before, openFiles(), "%q", c.name)
	}
}

func TestOpenRefusesInFS(t *testing.T) {
	tree(t, "a.jpg")
	require.NoError(t, os.Mkdir("sub", 0o755))
	s, err := source.FS(t.Context(), os.DirFS("."), ".", source.Options{})
	require.NoError(t, err)
	require.NoError(t, os.Remove("a.jpg"))
	_, err = s.Open(t.Context(), 0)
	assert.ErrorIs(t, err, spool.ErrNotFound)
	require.NoError(t, os.Rename("sub", "a.jpg"))
	_, err = s.Open(t.Context(), 0)
	assert.ErrorIs(t, err, spool.ErrNotAFile)
}

func TestIndexOutOfRangePanics(t *testing.T) {
	s := source.Files("a", "b")
	for _, i := range []int{-1, 2} {
		assert.Panics(t, func() { s.Item(i) })
		assert.Panics(t, func() { _, _ = s.Open(context.Background(), i) })
	}
	assert.Panics(t, func() { source.Files().Item(0) })
	assert.Zero(t, source.Files().Len())
}

func TestNamesWithAnyBytes(t *testing.T) {
	tree(t)
	name := "latin-\xe9\n.jpg"
	require.NoError(t, os.Mkdir("\xff", 0o755))
	require.NoError(t, os.WriteFile(filepath.Join("\xff", name), []byte("x"), 0o644))
	s, err := source.Folder(t.Context(), ".", source.Options{})
	require.NoError(t, err)
	assert.Equal(t, []string{"\xff/" + name}, names(s))
	assert.Equal(t, []string{"\xff"}, s.Classes())
	o, err := s.Open(t.Context(), 0)
	require.NoError(t, err)
	assert.NoError(t, o.Close())
}
