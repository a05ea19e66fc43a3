package cache_test

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source/cache"
)

func TestInspect(t *testing.T) {
	folder := t.TempDir()
	_, err := cache.OpenExisting(folder)
	require.ErrorIs(t, err, spool.ErrNotFound)
	f := open(t, folder, 1<<24)
	for number := range 10 {
		f.Put(key(number), nil, content(number, 100_000), time.Duration(number)*time.Second)
	}
	names := files(t, folder)
	require.Len(t, names, 10)
	for i, name := range names[:3] {
		b, err := os.ReadFile(name)
		require.NoError(t, err)
		b[len(b)-1-i] ^= 4
		require.NoError(t, os.WriteFile(name, b, 0o600))
	}
	require.NoError(t, os.Rename(names[9], names[9][:len(names[9])-1]+"x"))

	look, err := cache.OpenExisting(folder)
	require.NoError(t, err)
	defer look.Close()
	assert.EqualValues(t, 1<<24, look.Stats().Ceiling, "of who wrote")
	v, err := look.Verify(t.Context())
	require.NoError(t, err)
	assert.Equal(t, cache.Verified{Entries: 6, Bytes: 600_000, Broken: 4}, v)
	assert.EqualValues(t, 6, look.Stats().Entries)
	found := 0
	for i, err := range look.Entries(t.Context()) {
		require.NoError(t, err)
		found++
		assert.Equal(t, cache.Object, i.Kind)
		assert.Contains(t, i.Name, "photos/")
		assert.EqualValues(t, 100_000, i.Size)
		assert.WithinDuration(t, time.Now(), i.Used, time.Minute)
		require.NoError(t, look.Remove(i))
		require.NoError(t, look.Remove(i))
	}
	assert.Equal(t, 6, found)
	bytes, _ := room(folder)
	assert.Zero(t, bytes)
	assert.Zero(t, look.Stats().Bytes)
}
