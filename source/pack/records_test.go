package pack_test

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/pack"
)

// members returns the names and bytes of the members of all shards of a manifest.
func members(t *testing.T, folder string, m *pack.Manifest) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, s := range m.Shards {
		file, err := os.Open(filepath.Join(folder, s.Name))
		require.NoError(t, err)
		for r := tar.NewReader(file); ; {
			h, err := r.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err)
			data, err := io.ReadAll(r)
			require.NoError(t, err)
			assert.NotContains(t, all, h.Name)
			all[h.Name] = string(data)
		}
		require.NoError(t, file.Close())
	}
	return all
}

// The columns of a table, paths and values, are the members of each sample; a value that is missing is none.
func TestRecords(t *testing.T) {
	ctx := context.Background()
	from := t.TempDir()
	for _, name := range []string{"a.png", "b.png", "m.png"} {
		require.NoError(t, os.WriteFile(filepath.Join(from, name), []byte(name), 0o600))
	}
	table := filepath.Join(from, "t.csv")
	rows := "image,mask,caption,label\na.png,m.png,one,3\nb.png,,\"two, é\",\n"
	require.NoError(t, os.WriteFile(table, []byte(rows), 0o600))
	src, err := source.OpenRecords(ctx, []string{table}, []source.Input{{Name: "image"}, {Name: "mask", Optional: true},
		{Name: "caption", Value: true}}, source.Options{})
	require.NoError(t, err)
	folder := filepath.Join(t.TempDir(), "packed")
	m, err := pack.Write(ctx, src, folder, pack.Options{Members: []string{"png", "seg.png", "txt"}})
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"000000000.png": "a.png", "000000000.seg.png": "m.png", "000000000.txt": "one",
		"000000000.cls": "3", "000000001.png": "b.png", "000000001.txt": "two, é"}, members(t, folder, m))

	_, err = pack.Write(ctx, src, folder, pack.Options{Members: []string{"png", "txt"}})
	require.ErrorIs(t, err, spool.ErrOptions, "another plan")
	for _, bad := range [][]string{{"cls"}, {"a", "a"}, {"A"}, {""}, {"a/b"}, {".a"}} {
		_, err = pack.Write(ctx, src, t.TempDir(), pack.Options{Members: bad})
		assert.ErrorIs(t, err, spool.ErrOptions, "%q", bad)
	}
	_, plain := photos(t, 2, 10)
	_, err = pack.Write(ctx, plain, t.TempDir(), pack.Options{Members: []string{"jpg"}})
	assert.ErrorIs(t, err, spool.ErrOptions, "not a source of records")
}

// Shards have at most a size in bytes, are as few and as equal as a plain model finds, and have the same bytes for any
// workers.
func TestShardBytes(t *testing.T) {
	ctx := context.Background()
	const largest = 100 << 10
	_, src := photos(t, 200, largest)
	for _, most := range []int64{1 << 20, 3 << 20, 1 << 40, 1} {
		var first map[string]string
		for _, workers := range []int{1, 3} {
			folder := filepath.Join(t.TempDir(), "packed")
			m, err := pack.Write(ctx, src, folder, pack.Options{ShardBytes: most, Shuffle: true, Seed: 1, Workers: workers})
			require.NoError(t, err)
			total, samples := int64(0), 0
			for _, s := range m.Shards {
				samples += s.Samples
				total += s.Bytes
				assert.True(t, s.Bytes <= most || s.Samples == 1)
			}
			require.Equal(t, 200, samples)
			if most == 1 {
				assert.Len(t, m.Shards, 200)
			} else {
				assert.LessOrEqual(t, len(m.Shards), int(total/(most-largest-4096))+1, "no shard lacks more than a sample")
			}
			for _, s := range m.Shards[:len(m.Shards)-1] {
				assert.InDelta(t, total/int64(len(m.Shards)), s.Bytes, largest+4096)
			}
			got := contents(t, folder)
			if first == nil {
				first = got
			}
			assert.True(t, maps.Equal(first, got))
		}
	}
	_, err := pack.Write(ctx, src, t.TempDir(), pack.Options{ShardBytes: 1, PerShard: 1})
	require.ErrorIs(t, err, spool.ErrOptions)
	_, err = pack.Write(ctx, src, t.TempDir(), pack.Options{ShardBytes: -1})
	assert.ErrorIs(t, err, spool.ErrOptions)
}

// The cuts of small cases are the best of all possible ones: the fewest shards, then the smallest largest one.
func TestShardBytesAreBalanced(t *testing.T) {
	for _, blocks := range [][]int{{1, 1, 1, 1, 1, 1, 1}, {9, 1, 1, 1, 9}, {1, 1, 30, 1, 1, 1, 1, 1},
		{3, 5, 2, 8, 1, 1, 4}} {
		folder := t.TempDir()
		for i, n := range blocks {
			require.NoError(t, os.WriteFile(fmt.Sprintf("%s/%02d.jpg", folder, i), make([]byte, 512*n), 0o600))
		}
		src, err := source.Open(context.Background(), []string{folder}, source.Options{})
		require.NoError(t, err)
		const most = 12 * 512
		m, err := pack.Write(context.Background(), src, filepath.Join(t.TempDir(), "packed"), pack.Options{ShardBytes: most})
		require.NoError(t, err)
		wantShards, wantLargest := len(blocks)+1, 0
		for mask := range 1 << (len(blocks) - 1) { // bit i: a shard ends after sample i
			shards, largest, sum, fits, alone := 1, 0, 2, true, true
			for i, n := range blocks {
				sum += n + 1
				largest, fits = max(largest, sum), fits && (512*sum <= most || alone)
				alone = false
				if i < len(blocks)-1 && mask>>i&1 == 1 {
					shards, sum, alone = shards+1, 2, true
				}
			}
			if fits && (shards < wantShards || shards == wantShards && largest < wantLargest) {
				wantShards, wantLargest = shards, largest
			}
		}
		largest := int64(0)
		for _, s := range m.Shards {
			largest = max(largest, s.Bytes)
		}
		assert.Len(t, m.Shards, wantShards, "%v", blocks)
		assert.Equal(t, int64(512*wantLargest), largest, "%v", blocks)
	}
}
