package source_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source"
)

// TestSavedShardIndex: an index gives the same samples as its shard, including damage. To prove that the index is read,
// the test erases the headers and restores the file's size and time.
func TestSavedShardIndex(t *testing.T) {
	for _, folder := range []string{"", "deep/indexes"} {
		for _, ending := range []string{"tar", "tar.gz"} {
			t.Run(folder+ending, func(t *testing.T) {
				tree(t)
				file := "a." + ending
				data := pack(t, file, "1.jpg", "first", "1.cls", "7", "2.jpg", "", "2.jpg", "twice", "deep/3.jpg", "third", "4.jpg",
					strings.Repeat("fourth", 200))
				if ending == "tar" {
					require.NoError(t, os.WriteFile(file, data[:len(data)-2000], 0o600))
				}
				then := time.Now().Add(-time.Hour)
				require.NoError(t, os.Chtimes(file, then, then))
				options := source.Options{Indexes: folder}
				want, err := source.Shards(t.Context(), []string{file}, options)
				require.NoError(t, err)
				path, err := source.SaveShardIndex(t.Context(), file, options)
				require.NoError(t, err)
				assert.Equal(t, filepath.Clean(filepath.Join(".", folder)), filepath.Dir(path))
				if folder == "" {
					assert.Equal(t, file+".spoolidx", path)
				}
				same(t, want, file, options)

				whole, err := os.ReadFile(file)
				require.NoError(t, err)
				blank := append([]byte{}, whole...)
				if ending == "tar" {
					clear(blank[:512])
					require.NoError(t, os.WriteFile(file, blank, 0o600))
					require.NoError(t, os.Chtimes(file, then, then))
					same(t, want, file, options)
				}

				require.NoError(t, os.WriteFile(file, whole, 0o600)) // the same content, modified later
				index, err := os.ReadFile(path)
				require.NoError(t, err)
				same(t, want, file, options)
				index[len(index)/2] ^= 1
				require.NoError(t, os.WriteFile(path, index, 0o600))
				require.NoError(t, os.Chtimes(file, then, then))
				same(t, want, file, options) // a damaged index is ignored
			})
		}
	}
}

func same(t *testing.T, want source.Source, file string, o source.Options) {
	t.Helper()
	got, err := source.Shards(t.Context(), []string{file}, o)
	require.NoError(t, err)
	require.Equal(t, want.Len(), got.Len())
	for i := range want.Len() {
		assert.Equal(t, want.Item(i), got.Item(i))
		a, errA := want.Open(t.Context(), i)
		b, errB := got.Open(t.Context(), i)
		if errA != nil {
			assert.EqualError(t, errB, errA.Error())
			assert.Equal(t, spool.ClassOf(errA), spool.ClassOf(errB))
			continue
		}
		require.NoError(t, errB)
		assert.Equal(t, a.Info().Size, b.Info().Size)
		require.NoError(t, a.Close())
		require.NoError(t, b.Close())
	}
}

func TestSavedShardIndexFails(t *testing.T) {
	tree(t, "folder.tar/", "plain")
	_, err := source.SaveShardIndex(t.Context(), "none.tar", source.Options{})
	assert.ErrorIs(t, err, spool.ErrNotFound)
	_, err = source.SaveShardIndex(t.Context(), "folder.tar", source.Options{})
	assert.ErrorIs(t, err, spool.ErrNotAFile)
	pack(t, "a.tar", "1.jpg", "")
	_, err = source.SaveShardIndex(t.Context(), "a.tar", source.Options{Indexes: "plain"})
	assert.ErrorIs(t, err, spool.ErrNotFound)
	left, err := filepath.Glob("*")
	require.NoError(t, err)
	assert.Equal(t, []string{"a.tar", "folder.tar", "plain"}, left)
}

// BenchmarkShards opens 100 shards of 1000 samples, with saved indexes and without.
func BenchmarkShards(b *testing.B) {
	b.Chdir(b.TempDir())
	var members []string
	for i := range 1000 {
		name := "deep/folder/" + itoa(int64(i))
		members = append(members, name+".jpg", strings.Repeat("j", 20_000), name+".cls", itoa(int64(i%10)))
	}
	var files []string
	for i := range 100 {
		file := itoa(int64(i)) + ".tar"
		if i == 0 {
			pack(b, file, members...)
		} else {
			require.NoError(b, os.Link("0.tar", file))
		}
		files = append(files, file)
	}
	open := func(b *testing.B) {
		for b.Loop() {
			if _, err := source.Shards(b.Context(), files, source.Options{}); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.Run("scanned", open)
	for _, file := range files {
		_, err := source.SaveShardIndex(b.Context(), file, source.Options{})
		require.NoError(b, err)
	}
	b.Run("saved", open)
}
