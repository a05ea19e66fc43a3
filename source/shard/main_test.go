package shard_test

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/leaktest"
	"github.com/spoolmedia/spool/source/shard"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// file is a member to write.
type file struct {
	name, content string
}

// pack writes an archive with archive/tar.
func pack(t testing.TB, format tar.Format, files ...file) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range files {
		require.NoError(t, w.WriteHeader(&tar.Header{Name: f.name, Size: int64(len(f.content)), Mode: 0o644, Format: format}))
		_, err := io.WriteString(w, f.content)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return b.Bytes()
}

// unpack returns the members of an Index, which are those that belong to samples.
func unpack(t testing.TB, archive spool.Object, x *shard.Index) []file {
	t.Helper()
	var list []file
	for i := range x.Len() {
		s := x.Sample(i)
		if s.Err != nil {
			continue
		}
		for _, m := range s.Members {
			list = append(list, file{m.Name, content(t, archive, m)})
		}
	}
	return list
}

// content returns the bytes of a member.
func content(t testing.TB, archive spool.Object, m shard.Member) string {
	t.Helper()
	o := shard.Open(archive, m)
	require.Equal(t, m.Size, o.Info().Size)
	data := make([]byte, m.Size+1)
	n, err := o.ReadAt(t.Context(), data, 0)
	require.ErrorIs(t, err, io.EOF)
	require.Equal(t, int(m.Size), n)
	return string(data[:n])
}

func scan(t testing.TB, archive []byte) *shard.Index {
	t.Helper()
	x, err := shard.Scan(t.Context(), shard.Memory(archive))
	require.NoError(t, err)
	return x
}

// disk is an Object that is not Memory, and fails at an offset.
type disk struct {
	data    []byte
	failsAt int64
	reads   int
	closed  int
}

var errDisk = errors.New("the disk is gone")

func (d *disk) Info() spool.ObjectInfo { return spool.ObjectInfo{Size: int64(len(d.data))} }

func (d *disk) Close() error {
	d.closed++
	return nil
}

func (d *disk) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	d.reads++
	if d.failsAt > 0 && off+int64(len(p)) > d.failsAt {
		return 0, errDisk
	}
	return shard.Memory(d.data).ReadAt(ctx, p, off)
}

// classed reports whether an error has the class of a bad input.
func classed(err error) bool {
	switch spool.ClassOf(err) {
	case spool.ErrCorrupt, spool.ErrTruncated, spool.ErrTooLarge, spool.ErrUnsupported:
		return true
	}
	return false
}
