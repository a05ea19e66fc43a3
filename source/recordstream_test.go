package source_test

import (
	"archive/tar"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source"
)

// textShards writes shards of a few samples with a text and sometimes a number, and returns their names by braces.
func textShards(t testing.TB, sizes ...int) string {
	t.Helper()
	dir := t.TempDir()
	n := 0
	for i, size := range sizes {
		f, err := os.Create(filepath.Join(dir, fmt.Sprintf("%d.tar", i)))
		require.NoError(t, err)
		w := tar.NewWriter(f)
		add := func(name, text string) {
			require.NoError(t, w.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(text))}))
			_, err := w.Write([]byte(text))
			require.NoError(t, err)
		}
		for range size {
			add(fmt.Sprintf("%03d.txt", n), fmt.Sprintf("text %d", n))
			if n%2 == 0 {
				add(fmt.Sprintf("%03d.n", n), fmt.Sprint(n))
			}
			n++
		}
		require.NoError(t, w.Close())
		require.NoError(t, f.Close())
	}
	return fmt.Sprintf("%s/{0..%d}.tar", dir, len(sizes)-1)
}

var textInputs = []source.Input{{Name: "txt"}, {Name: "n", Optional: true}}

// inputTexts returns the inputs of a sample as text.
func inputTexts(t testing.TB, src source.RecordSource, i int) (all []string) {
	t.Helper()
	for k := range textInputs {
		o, err := src.OpenInput(t.Context(), i, k)
		require.NoError(t, err)
		if o == nil {
			all = append(all, "absent")
			continue
		}
		data, err := spool.ReadAll(t.Context(), o, nil, 1<<20)
		require.NoError(t, err)
		all = append(all, string(data))
		require.NoError(t, o.Close())
	}
	return all
}

// A stream has the samples of OpenRecords, from any of them on, and forgets those whose inputs were opened.
func TestOpenRecordStream(t *testing.T) {
	shards := textShards(t, 3, 1, 4, 2)
	want, err := source.OpenRecords(t.Context(), []string{shards}, textInputs, source.Options{})
	require.NoError(t, err)
	s, err := source.OpenRecordStream(t.Context(), []string{shards}, textInputs, source.Options{})
	require.NoError(t, err)
	assert.Negative(t, s.Len())
	assert.False(t, s.Remote())
	for _, from := range []int{0, 2, 3, 9, 10} {
		n := from
		for item, err := range s.Samples(t.Context(), from) {
			require.NoError(t, err)
			assert.Equal(t, want.Item(n), item)
			assert.Equal(t, item, s.Item(n))
			assert.Equal(t, inputTexts(t, want, n), inputTexts(t, s, n))
			n++
		}
		assert.Equal(t, 10, n)
		assert.Panics(t, func() { s.Item(9) }, "it was opened before")
	}
}

// While samples of a shard are loaded, the next shard is listed, and none after it.
func TestStreamedRecordsAreListedAhead(t *testing.T) {
	shards := textShards(t, 2, 2)
	s, err := source.OpenRecordStream(t.Context(), []string{shards, "/no/such.tar"}, textInputs, source.Options{})
	require.NoError(t, err, "the last name is listed later")
	var got []int64
	var failed error
	for item, err := range s.Samples(t.Context(), 0) {
		if failed = err; err == nil {
			got = append(got, item.ID)
		}
	}
	assert.Equal(t, []int64{0, 1, 2, 3}, got)
	require.ErrorIs(t, failed, spool.ErrNotFound)

	failed = nil
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	for _, err := range s.Samples(ctx, 0) {
		if stop(); err != nil {
			failed = err
		}
	}
	require.Error(t, failed)
	_, err = source.OpenRecordStream(t.Context(), nil, textInputs, source.Options{})
	require.ErrorIs(t, err, spool.ErrOptions)
	_, err = source.OpenRecordStream(t.Context(), []string{"/no/such.tar"}, textInputs, source.Options{})
	require.ErrorIs(t, err, spool.ErrNotFound)
}
