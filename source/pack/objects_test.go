package pack_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/s3test"
	"github.com/spoolmedia/spool/source/object"
	"github.com/spoolmedia/spool/source/pack"
)

// A bucket gets the bytes that a folder gets, keeps finished shards, and is refused if it has something else.
func TestBucket(t *testing.T) {
	ctx := context.Background()
	s := s3test.Start(t)
	s.Login(t)
	s.Bucket("data")
	client, err := object.New(object.Options{Part: 5 << 20})
	require.NoError(t, err)
	defer client.Close()
	from, src := photos(t, 70, 500<<10)
	local := t.TempDir()
	o := killed("tar", client)
	want, err := pack.Write(ctx, src, local, o)
	require.NoError(t, err)

	// The first call ends at a sample that cannot be read, and has left parts of a shard, as a killed process does.
	last := from + "/dog/0069.JPG"
	require.NoError(t, os.Rename(last, last+"x"))
	lost, err := client.Create(ctx, "s3://data/a b/train/000002.tar")
	require.NoError(t, err)
	_, err = lost.Write(make([]byte, 11<<20))
	require.NoError(t, err)
	_, err = pack.Write(ctx, src, "s3://data/a b/train/", o)
	require.ErrorIs(t, err, spool.ErrNotFound)
	require.Error(t, lost.Commit(), "it was aborted")
	_, err = pack.Verify(ctx, "s3://data/a b/train", client)
	require.ErrorIs(t, err, spool.ErrNotFound, "there is no manifest yet")
	require.NoError(t, os.Rename(last+"x", last))
	got, err := pack.Write(ctx, src, "s3://data/a b/train", o)
	require.NoError(t, err)
	assert.Equal(t, want, got)
	folder := filepath.Join(s.Folder, "data", "a b", "train")
	assert.Equal(t, contents(t, local), contents(t, folder))

	before, err := os.Stat(folder + "/000001.tar")
	require.NoError(t, err)
	_, err = pack.Write(ctx, src, "s3://data/a b/train", o)
	require.NoError(t, err)
	after, err := os.Stat(folder + "/000001.tar")
	require.NoError(t, err)
	assert.True(t, os.SameFile(before, after))
	got, err = pack.Verify(ctx, "s3://data/a b/train", client)
	require.NoError(t, err)
	assert.Equal(t, want, got)

	other := o
	other.Seed++
	_, err = pack.Write(ctx, src, "s3://data/a b/train", other)
	require.ErrorIs(t, err, spool.ErrOptions)
	_, err = pack.Write(ctx, src, "s3://data/a b", o)
	require.ErrorIs(t, err, spool.ErrOptions, "it has other objects")
	_, err = pack.Write(ctx, src, "s3://none/x", o)
	require.ErrorIs(t, err, spool.ErrNotFound)
	_, err = pack.Write(ctx, src, "https://localhost/x", o)
	require.ErrorIs(t, err, spool.ErrUnsupported)

	data, err := os.ReadFile(folder + "/000001.tar")
	require.NoError(t, err)
	data[600]++
	s.Put("data", "a b/train/000001.tar", data)
	_, err = pack.Verify(ctx, "s3://data/a b/train", client)
	require.ErrorIs(t, err, spool.ErrCorrupt)
	s.Delete("data", "a b/train/000001.tar")
	_, err = pack.Verify(ctx, "s3://data/a b/train", client)
	require.ErrorIs(t, err, spool.ErrNotFound)
	_, err = pack.Write(ctx, src, "s3://data/a b/train", o)
	require.NoError(t, err, "a shard that was removed is written again")
	assert.Equal(t, contents(t, local), contents(t, folder))
}
