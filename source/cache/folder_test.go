package cache_test

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/seed"
	"github.com/spoolmedia/spool/source/cache"
)

func open(t testing.TB, folder string, ceiling int64) *cache.Folder {
	t.Helper()
	f, err := cache.Open(folder, cache.Options{MaxBytes: ceiling, Warn: func(err error) { t.Error(err) }})
	require.NoError(t, err)
	f.WaitForLock()
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	return f
}

// content returns the bytes of an entry: a function of its number.
func content(number, size int) []byte {
	b := make([]byte, size)
	x := uint64(number)*0x9e3779b97f4a7c15 + 1
	for i := range b {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		b[i] = byte(x)
	}
	return b
}

func key(number int) cache.Key {
	return cache.NewKey(cache.Object, fmt.Sprint("photos/", number), fmt.Sprint(number))
}

// files returns the paths of the entries' files.
func files(t testing.TB, folder string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "v1", "[0-9a-f][0-9a-f]", "*"))
	require.NoError(t, err)
	return names
}

// room returns the space of all entries and temporary files, and their number.
func room(folder string) (bytes int64, count int) {
	for _, glob := range []string{"[0-9a-f][0-9a-f]/*", "new/*"} {
		names, _ := filepath.Glob(filepath.Join(folder, "v1", glob))
		for _, name := range names {
			if info, err := os.Stat(name); err == nil {
				bytes += (info.Size() + 4095) / 4096 * 4096
				count++
			}
		}
	}
	return bytes, count
}

func TestFolder(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "a", "b")
	f := open(t, folder, 0)
	for number, size := range []int{0, 1, 4096, 64 << 10, 64<<10 + 1, 300_000, 5 << 20} {
		want := content(number, size)
		p := make([]byte, size)
		_, ok := f.Get(key(number), p)
		require.False(t, ok)
		f.Put(key(number), []byte(fmt.Sprint("note ", number)), want, time.Second)
		note, ok := f.Get(key(number), p)
		require.True(t, ok, size)
		require.Equal(t, want, p)
		require.Equal(t, fmt.Sprint("note ", number), string(note))
		_, ok = f.Get(key(number), make([]byte, size+1))
		require.False(t, ok, "another length")
	}
	stats := f.Stats()
	assert.EqualValues(t, 7, stats.Entries)
	assert.EqualValues(t, 7, stats.Hits)
	assert.EqualValues(t, 14, stats.Misses)
	bytes, _ := room(folder)
	assert.Equal(t, bytes, stats.Bytes)
	info, err := os.Stat(folder)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o700), info.Mode().Perm(), "what is kept may be private")
	info, err = os.Stat(files(t, folder)[0])
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	other := open(t, folder, 0)
	p := make([]byte, 300_000)
	_, ok := other.Get(key(5), p)
	require.True(t, ok, "another process finds what this one has kept")
	require.NoError(t, f.Close())
	require.NoError(t, f.Close())
	_, ok = f.Get(key(5), p)
	require.False(t, ok, "closed")
	f.Put(key(99), nil, p, time.Second)

	_, err = cache.Open(folder, cache.Options{MaxBytes: -1})
	require.ErrorIs(t, err, spool.ErrOptions)
}

// The ceiling holds at each moment, with several writers, and each entry is read whole.
func TestFolderCeiling(t *testing.T) {
	const ceiling, largest, numbers = 2 << 20, 150_000, 100
	folder := t.TempDir()
	var folders [3]*cache.Folder
	for i := range folders {
		folders[i] = open(t, folder, ceiling)
	}
	use := func(f *cache.Folder, number int) {
		want := content(number, 1000+number*largest/numbers)
		p := make([]byte, len(want))
		if _, ok := f.Get(key(number), p); ok {
			assert.Equal(t, want, p)
		} else {
			f.Put(key(number), nil, want, time.Duration(1+number%10)*time.Millisecond)
		}
	}
	var most atomic.Int64
	r := seed.Rand(t)
	var writers sync.WaitGroup
	for i := range 6 {
		first := r.IntN(50)
		writers.Go(func() {
			f := folders[i%len(folders)]
			for step := range 150 {
				use(f, (first+step*7)%numbers)
				if step%5 != 0 {
					continue
				}
				bytes, err := f.Audit() // the other writers may be in the middle of a file
				assert.NoError(t, err)
				assert.LessOrEqual(t, bytes, int64(ceiling))
				for old := most.Load(); old < bytes && !most.CompareAndSwap(old, bytes); old = most.Load() {
				}
			}
		})
	}
	writers.Wait()
	last := open(t, folder, ceiling)
	for number := range numbers {
		use(last, number)
	}
	bytes, count := room(folder)
	assert.LessOrEqual(t, bytes, int64(ceiling))
	assert.Greater(t, bytes, int64(ceiling-2*largest), "the room is used: all would take 7 MB")
	stats := last.Stats()
	assert.Equal(t, bytes, stats.Bytes)
	assert.EqualValues(t, count, stats.Entries)
	for _, f := range folders {
		before := f.Stats().Hits
		for number := range numbers {
			_, _ = f.Get(key(number), make([]byte, 1000+number*largest/numbers))
		}
		assert.EqualValues(t, count, f.Stats().Hits-before, "each finds what the others keep")
	}
	before := last.Stats().Evicted
	last.Put(key(numbers), nil, content(numbers, largest), time.Hour)
	assert.Greater(t, last.Stats().Evicted, before)
	assert.True(t, last.Has(key(numbers)))
	most.Store(max(most.Load(), bytes))
	t.Logf("at most %d of %d bytes", most.Load(), ceiling)
}

// However the files are changed, a read gives the stored bytes or nothing, and a changed file is removed.
func TestFolderDamage(t *testing.T) {
	const size = 200_000
	folder := t.TempDir()
	f := open(t, folder, 0)
	r := seed.Rand(t)
	want := content(1, size)
	for range 100 {
		f.Put(key(1), []byte("n"), want, time.Second)
		names := files(t, folder)
		require.Len(t, names, 1)
		b, err := os.ReadFile(names[0])
		require.NoError(t, err)
		switch r.IntN(5) {
		case 0:
			b[r.IntN(len(b))] ^= 1 << r.IntN(8)
		case 1:
			b = b[:r.IntN(len(b))]
		case 2:
			b = append(b, make([]byte, 1+r.IntN(5000))...)
		case 3:
			at := r.IntN(len(b))
			clear(b[at:min(len(b), at+4096)])
		case 4:
			b[r.IntN(100)] ^= byte(1 + r.IntN(255))
		}
		require.NoError(t, os.WriteFile(names[0], b, 0o600))
		p := make([]byte, size)
		before := f.Stats().Broken
		_, ok := f.Get(key(1), p)
		require.False(t, ok)
		require.Equal(t, before+1, f.Stats().Broken)
		require.Empty(t, files(t, folder))
	}
	// An entry at the path of another.
	f.Put(key(1), nil, want, time.Second)
	first := files(t, folder)[0]
	f.Put(key(2), nil, content(2, size), time.Second)
	for _, name := range files(t, folder) {
		if name != first {
			require.NoError(t, os.Rename(first, name))
		}
	}
	_, ok := f.Get(key(2), make([]byte, size))
	require.False(t, ok)
}

// A clock that was ahead leaves times of use in the future. They are corrected when the entry is used again.
func TestClockSetBack(t *testing.T) {
	folder := t.TempDir()
	f := open(t, folder, 0)
	want := content(1, 1000)
	f.Put(key(1), nil, want, time.Second)
	file := files(t, folder)[0]
	for _, jump := range []time.Duration{10 * 365 * 24 * time.Hour, -10 * 365 * 24 * time.Hour, time.Hour} {
		wrong := time.Now().Add(jump)
		require.NoError(t, os.Chtimes(file, wrong, wrong))
		p := make([]byte, len(want))
		_, ok := f.Get(key(1), p)
		require.True(t, ok)
		assert.Equal(t, want, p)
		info, err := os.Stat(file)
		require.NoError(t, err)
		assert.WithinDuration(t, time.Now(), info.ModTime(), time.Minute)
	}
}
