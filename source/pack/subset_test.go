package pack_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/pack"
)

// Every sample is in one part, which has its share of them. Samples that are added later move no other.
func TestSplit(t *testing.T) {
	const n = 10_000
	var names []string
	for i := range n + 500 {
		names = append(names, fmt.Sprintf("photos/%d.jpg", i))
	}
	shares := []float64{0.8, 0.15, 0.05}
	parts, err := pack.Split(source.Files(names[:n]...), shares)
	require.NoError(t, err)
	require.Len(t, parts, 3)
	var all []int
	for k, part := range parts {
		assert.True(t, slices.IsSorted(part))
		assert.InDelta(t, shares[k], float64(len(part))/n, 0.02) // more than four standard deviations
		all = append(all, part...)
	}
	slices.Sort(all)
	for i := range n {
		require.Equal(t, i, all[i])
	}
	more, err := pack.Split(source.Files(names...), shares)
	require.NoError(t, err)
	for k := range parts {
		assert.Equal(t, parts[k], more[k][:len(parts[k])])
	}
	for _, bad := range [][]float64{{}, {0.5}, {0.5, 0.6}, {1, 0}, {1.5, -0.5}} {
		_, err := pack.Split(source.Files(names...), bad)
		require.ErrorIs(t, err, spool.ErrOptions, "%v", bad)
	}
}

// Of samples with equal bytes the first remains, and the shards of the rest are those of a source without the others.
func TestUnique(t *testing.T) {
	folder, src := photos(t, 40, 3000)
	again := []int{5, 17, 30, 39}
	for _, i := range again {
		data, err := os.ReadFile(src.Item(3).Name)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(src.Item(i).Name, data, 0o600))
	}
	for _, workers := range []int{0, 1, 3} {
		ids, err := pack.Unique(t.Context(), src, nil, workers)
		require.NoError(t, err)
		want := slices.DeleteFunc(slices.Collect(func(yield func(int) bool) {
			for i := range src.Len() {
				if !yield(i) {
					return
				}
			}
		}), func(i int) bool { return slices.Contains(again, i) })
		require.Equal(t, want, ids)
	}
	ids, err := pack.Unique(t.Context(), src, nil, 2)
	require.NoError(t, err)
	got, want := t.TempDir(), t.TempDir()
	part, err := pack.Write(t.Context(), pack.Subset(src, ids), got, pack.Options{PerShard: 10})
	require.NoError(t, err)
	assert.Equal(t, 36, part.Samples)
	for _, i := range again {
		require.NoError(t, os.Remove(src.Item(i).Name))
	}
	rest, err := source.Open(t.Context(), []string{folder}, source.Options{})
	require.NoError(t, err)
	_, err = pack.Write(t.Context(), rest, want, pack.Options{PerShard: 10})
	require.NoError(t, err)
	assert.Equal(t, contents(t, want), contents(t, got))

	_, err = pack.Unique(t.Context(), src, nil, 2)
	require.ErrorIs(t, err, spool.ErrNotFound, "a file is gone")
	_, err = pack.Unique(t.Context(), src, []string{"jpg"}, 2)
	require.ErrorIs(t, err, spool.ErrOptions)
}

// A subset of records has their inputs, and records are equal if all of their inputs are.
func TestSubsetOfRecords(t *testing.T) {
	folder := t.TempDir()
	for i, text := range []string{"a", "b", "a", "a"} {
		for ext, data := range map[string]string{"jpg": "image", "txt": text} {
			name := filepath.Join(folder, ext, fmt.Sprintf("%d.%s", i, ext))
			require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o750))
			if i < 3 || ext == "jpg" { // the last lacks its text
				require.NoError(t, os.WriteFile(name, []byte(data), 0o600))
			}
		}
	}
	src, err := source.OpenRecords(t.Context(), []string{folder},
		[]source.Input{{Name: "jpg"}, {Name: "txt", Optional: true}}, source.Options{})
	require.NoError(t, err)
	ids, err := pack.Unique(t.Context(), src, []string{"jpg", "txt"}, 2)
	require.NoError(t, err)
	assert.Equal(t, []int{0, 1, 3}, ids)
	part, ok := pack.Subset(src, ids).(source.RecordSource)
	require.True(t, ok)
	assert.EqualValues(t, 2, part.Item(2).ID)
	assert.Equal(t, src.Item(3).Name, part.Item(2).Name)
	o, err := part.OpenInput(t.Context(), 1, 1)
	require.NoError(t, err)
	data, err := spool.ReadAll(t.Context(), o, nil, 0)
	require.NoError(t, err)
	require.NoError(t, o.Close())
	assert.Equal(t, "b", string(data))
}
