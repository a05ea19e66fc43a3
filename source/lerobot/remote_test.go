package lerobot_test

import (
	"context"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/lerobot"
)

// bucket is a store with the files of a folder. Its URLs begin with mem://.
type bucket struct{ folder string }

func (bucket) Known(name string) bool { return strings.HasPrefix(name, "mem://") }

func (b bucket) Open(_ context.Context, e source.Entry) (spool.Object, error) {
	data, err := os.ReadFile(filepath.Join(b.folder, strings.TrimPrefix(e.URL, "mem://")))
	if err != nil {
		return nil, spool.FileError("open", e.URL, err)
	}
	return spool.Bytes{Data: data, Name: e.URL}, nil
}

func (b bucket) List(_ context.Context, prefix string) iter.Seq2[source.Entry, error] {
	var urls []string
	_ = filepath.WalkDir(b.folder, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(b.folder, path)
		if url := "mem://" + filepath.ToSlash(name); err == nil && !d.IsDir() && strings.HasPrefix(url, prefix) {
			urls = append(urls, url)
		}
		return err
	})
	sort.Strings(urls)
	return func(yield func(source.Entry, error) bool) {
		for _, url := range urls {
			if !yield(source.Entry{URL: url}, nil) {
				return
			}
		}
	}
}

func (b bucket) Walk(ctx context.Context, prefix string) iter.Seq2[source.Entry, error] {
	return b.List(ctx, prefix)
}

// A data set in a store has the same inputs as in a folder.
func TestRemote(t *testing.T) {
	store := bucket{"testdata"}
	deltas := map[string][]float64{"action": {-0.1, 0, 0.1}}
	is, err := lerobot.Is(context.Background(), "mem://arm", lerobot.Options{Remote: store})
	require.NoError(t, err)
	assert.True(t, is)
	names := []string{"observation.images.front", "observation.images.front.start", "action", "task", "note"}
	local := records(t, open(t, "testdata/arm", lerobot.Options{DeltaTimestamps: deltas}), names...)
	remote := records(t, open(t, "mem://arm/", lerobot.Options{DeltaTimestamps: deltas, Remote: store}), names...)
	assert.True(t, remote.Remote())
	require.Equal(t, local.Len(), remote.Len())
	for i := range local.Len() {
		assert.Equal(t, local.Item(i).Key, remote.Item(i).Key)
		for k := range names {
			want, _ := read(t, local, i, k)
			got, info := read(t, remote, i, k)
			assert.Equal(t, want, got)
			assert.True(t, strings.HasPrefix(info.Name, "mem://arm/"), info.Name)
		}
	}
	_, err = lerobot.Open(context.Background(), "mem://none", lerobot.Options{Remote: store})
	require.ErrorIs(t, err, spool.ErrNotFound)
	assert.ErrorContains(t, err, "mem://none/meta/info.json")
}
