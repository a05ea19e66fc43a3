package pack_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/order"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/pack"
)

// killed are the options of processes that are killed.
var killed = pack.Options{PerShard: 7, Shuffle: true, Seed: 3, Workers: 2}

// photos makes a folder of two classes, and returns its path and its listing.
func photos(t *testing.T, n, most int) (string, *source.Listing) {
	t.Helper()
	folder := t.TempDir()
	random := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		name := fmt.Sprintf("%s/%s/%04d.JPG", folder, []string{"cat", "dog"}[i%2], i)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o750))
		data := make([]byte, random.IntN(most))
		for k := range data {
			data[k] = byte(random.Uint32())
		}
		require.NoError(t, os.WriteFile(name, data, 0o600))
	}
	l, err := source.Open(context.Background(), []string{folder}, source.Options{})
	require.NoError(t, err)
	return folder, l
}

// contents returns the bytes of the files of a folder, by their names.
func contents(t *testing.T, folder string) map[string]string {
	t.Helper()
	all := map[string]string{}
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(folder, e.Name()))
		require.NoError(t, err)
		all[e.Name()] = string(data)
	}
	return all
}

func bytesOf(t *testing.T, src source.Source, i int) string {
	t.Helper()
	o, err := src.Open(context.Background(), i)
	require.NoError(t, err)
	defer o.Close()
	data, err := spool.ReadAll(context.Background(), o, nil, 1<<30)
	require.NoError(t, err)
	return string(data)
}

// The shards have the samples of the source with their labels, in order, and the same bytes for any number of workers.
func TestWrite(t *testing.T) {
	ctx := context.Background()
	_, src := photos(t, 50, 3<<20/2)
	for _, shuffle := range []bool{false, true} {
		var first map[string]string
		var folder string
		for _, workers := range []int{1, 3, 0} {
			folder = filepath.Join(t.TempDir(), "packed")
			m, err := pack.Write(ctx, src, folder, pack.Options{PerShard: 8, Shuffle: shuffle, Seed: 5, Workers: workers})
			require.NoError(t, err)
			require.Len(t, m.Shards, 7)
			assert.Equal(t, 2, m.Shards[6].Samples)
			got := contents(t, folder)
			if first == nil {
				first = got
			}
			assert.True(t, maps.Equal(first, got))
		}
		m, err := pack.Verify(ctx, folder, nil)
		require.NoError(t, err)
		assert.Equal(t, []string{"cat", "dog"}, m.Classes)

		packed, err := source.Open(ctx, []string{folder + "/{000000..000006}.tar"}, source.Options{})
		require.NoError(t, err)
		require.Equal(t, src.Len(), packed.Len())
		var by order.Sampler = order.Sequential(src.Len())
		if shuffle {
			by = order.NewPermutation(src.Len(), 5, 0)
		}
		for i := range packed.Len() {
			assert.Equal(t, src.Item(by.At(i)).Label, packed.Item(i).Label)
			assert.Equal(t, fmt.Sprintf("%09d", i), packed.Item(i).Key)
			assert.Equal(t, ".jpg", filepath.Ext(packed.Item(i).Name))
			assert.Equal(t, bytesOf(t, src, by.At(i)), bytesOf(t, packed, i))
		}
	}
}

// A process that is killed at any time leaves whole shards, and the next continues to the bytes of an undisturbed one.
func TestKilled(t *testing.T) {
	for format := range formats {
		t.Run(format, func(t *testing.T) { kill(t, format) })
	}
}

func kill(t *testing.T, format string) {
	killed := killed
	killed.Format = formats[format]
	kills := 20
	if testing.Short() {
		kills = 5
	}
	from, src := photos(t, 60, 400<<10)
	whole := t.TempDir()
	_, err := pack.Write(context.Background(), src, whole, killed)
	require.NoError(t, err)
	want := contents(t, whole)
	folder := t.TempDir()
	random := rand.New(rand.NewPCG(3, 4))
	for range kills {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childFolder+"="+folder, childSource+"="+from, childFormat+"="+format)
		require.NoError(t, cmd.Start())
		time.Sleep(time.Duration(random.IntN(60)) * time.Millisecond) //nolint:forbidigo // any moment
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		got := contents(t, folder)
		for name, data := range got {
			if strings.HasSuffix(name, "."+format) || name == "manifest.json" || name == "plan.json" {
				require.Equal(t, want[name], data, name)
			}
		}
		if _, done := got["manifest.json"]; done {
			require.NoError(t, os.RemoveAll(folder))
			require.NoError(t, os.MkdirAll(folder, 0o750))
		}
	}
	_, err = pack.Write(context.Background(), src, folder, killed)
	require.NoError(t, err)
	got := contents(t, folder)
	maps.DeleteFunc(got, func(name, _ string) bool { return strings.HasPrefix(name, ".") })
	assert.ElementsMatch(t, slices.Collect(maps.Keys(want)), slices.Collect(maps.Keys(got)))
	assert.True(t, maps.Equal(want, got))
}

// Finished shards are kept: their files are the same.
func TestContinued(t *testing.T) {
	ctx := context.Background()
	from, src := photos(t, 20, 1000)
	folder := t.TempDir()
	last := from + "/dog/0019.JPG" // of the last shard
	require.NoError(t, os.Rename(last, last+"x"))
	_, err := pack.Write(ctx, src, folder, pack.Options{PerShard: 6, Workers: 1})
	require.ErrorIs(t, err, spool.ErrNotFound)
	assert.ErrorContains(t, err, last)
	before, err := os.Stat(folder + "/000001.tar")
	require.NoError(t, err)
	assert.NoFileExists(t, folder+"/000003.tar")
	assert.NoFileExists(t, folder+"/000003.tar.part")
	_, err = pack.Verify(ctx, folder, nil)
	assert.ErrorIs(t, err, spool.ErrNotFound, "there is no manifest yet")

	require.NoError(t, os.Rename(last+"x", last))
	m, err := pack.Write(ctx, src, folder, pack.Options{PerShard: 6, Workers: 1})
	require.NoError(t, err)
	after, err := os.Stat(folder + "/000001.tar")
	require.NoError(t, err)
	assert.True(t, os.SameFile(before, after))
	again, err := pack.Verify(ctx, folder, nil)
	require.NoError(t, err)
	assert.Equal(t, m, again)
}

func TestRefused(t *testing.T) {
	ctx := context.Background()
	_, src := photos(t, 4, 1000)
	for _, o := range []pack.Options{{PerShard: -1}, {Workers: -1}} {
		_, err := pack.Write(ctx, src, t.TempDir(), o)
		assert.ErrorIs(t, err, spool.ErrOptions)
	}
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(folder+"/other.txt", nil, 0o600))
	_, err := pack.Write(ctx, src, folder, pack.Options{})
	assert.ErrorIs(t, err, spool.ErrOptions)
	folder = t.TempDir()
	_, err = pack.Write(ctx, src, folder, pack.Options{PerShard: 2})
	require.NoError(t, err)
	_, err = pack.Write(ctx, src, folder, pack.Options{PerShard: 3})
	assert.ErrorIs(t, err, spool.ErrOptions)
	stopped, stop := context.WithCancel(ctx)
	stop()
	_, err = pack.Write(stopped, src, t.TempDir(), pack.Options{})
	assert.ErrorIs(t, err, spool.ErrCanceled)
}

func TestVerify(t *testing.T) {
	ctx := context.Background()
	_, src := photos(t, 9, 1000)
	folder := t.TempDir()
	_, err := pack.Write(ctx, src, folder, pack.Options{PerShard: 3})
	require.NoError(t, err)
	data, err := os.ReadFile(folder + "/000001.tar")
	require.NoError(t, err)
	data[600]++
	require.NoError(t, os.WriteFile(folder+"/000001.tar", data, 0o600))
	require.NoError(t, os.Truncate(folder+"/000000.tar", 512))
	require.NoError(t, os.Remove(folder+"/000002.tar"))
	_, err = pack.Verify(ctx, folder, nil)
	for _, class := range []error{spool.ErrCorrupt, spool.ErrTruncated, spool.ErrNotFound} {
		assert.ErrorIs(t, err, class)
	}
	require.NoError(t, os.WriteFile(folder+"/manifest.json", []byte(`{"shards":[{"name":"../x"}]}`), 0o600))
	_, err = pack.Verify(ctx, folder, nil)
	assert.ErrorIs(t, err, spool.ErrCorrupt)
}
