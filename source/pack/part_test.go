package pack_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/s3test"
	"github.com/spoolmedia/spool/source/object"
	"github.com/spoolmedia/spool/source/pack"
)

// Parts that are written at a time, each of them twice, are the shards of one process, and nothing else is left.
func TestParts(t *testing.T) {
	ctx := context.Background()
	_, src := photos(t, 60, 3000)
	killed := killed("tar", nil)
	whole := t.TempDir()
	m, err := pack.Write(ctx, src, whole, killed)
	require.NoError(t, err)
	folder := filepath.Join(t.TempDir(), "parts")
	plan, err := pack.WriteShards(ctx, src, folder, killed, 0, 0)
	require.NoError(t, err)
	require.Equal(t, len(m.Shards), plan.Count)
	assert.Empty(t, plan.Shards)
	shards := make([]pack.Shard, plan.Count)
	var all errgroup.Group
	for i := range 2 * plan.Count {
		all.Go(func() error {
			p, err := pack.WriteShards(ctx, src, folder, killed, i/2, i/2+1)
			if err == nil && i%2 == 0 {
				shards[i/2] = p.Shards[0]
			}
			return err
		})
	}
	require.NoError(t, all.Wait())
	assert.Equal(t, m.Shards, shards)
	want := contents(t, whole)
	delete(want, "manifest.json")
	assert.Equal(t, want, contents(t, folder))

	// A killed copy leaves a file of its own, and the process that packs the rest reads the finished shards.
	require.NoError(t, os.WriteFile(filepath.Join(folder, "000001.tar.0123.part"), []byte("torn"), 0o600))
	require.NoError(t, os.Remove(filepath.Join(folder, "000001.tar")))
	again, err := pack.WriteShards(ctx, src, folder, killed, 0, plan.Count)
	require.NoError(t, err)
	assert.Equal(t, m.Shards, again.Shards)

	for _, bad := range [][2]int{{-1, 0}, {2, 1}, {0, plan.Count + 1}} {
		_, err := pack.WriteShards(ctx, src, folder, killed, bad[0], bad[1])
		assert.ErrorIs(t, err, spool.ErrOptions)
	}
	other := killed
	other.Seed++
	_, err = pack.WriteShards(ctx, src, folder, other, 0, 1)
	assert.ErrorIs(t, err, spool.ErrOptions)
	assert.ErrorContains(t, err, "another source")
}

// Parts in a bucket that two processes write at a time are whole, and have the bytes of one process.
func TestPartsInBucket(t *testing.T) {
	s := s3test.Start(t)
	s.Login(t)
	s.Bucket("packed")
	client, err := object.New(object.Options{})
	require.NoError(t, err)
	defer client.Close()
	ctx := context.Background()
	_, src := photos(t, 60, 3000)
	m, err := pack.Write(ctx, src, t.TempDir(), killed("tar", nil))
	require.NoError(t, err)
	plan, err := pack.WriteShards(ctx, src, "s3://packed/train", killed("tar", client), 0, 0)
	require.NoError(t, err)
	var both errgroup.Group
	for range 2 {
		both.Go(func() error {
			p, err := pack.WriteShards(ctx, src, "s3://packed/train", killed("tar", client), 0, plan.Count)
			if err == nil {
				assert.Equal(t, m.Shards, p.Shards)
			}
			return err
		})
	}
	require.NoError(t, both.Wait())
}
