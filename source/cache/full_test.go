package cache_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/spoolmedia/spool/internal/need"
	"github.com/spoolmedia/spool/source/cache"
)

// warnings collects the warnings of a folder.
type warnings []error

func (w *warnings) open(t *testing.T, folder string) *cache.Folder {
	t.Helper()
	f, err := cache.Open(folder, cache.Options{Warn: func(err error) { *w = append(*w, err) }})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	return f
}

// disk mounts a disk of the given size, which only root may do.
func disk(t *testing.T, size string) string {
	t.Helper()
	folder := t.TempDir()
	if err := unix.Mount("tmpfs", folder, "tmpfs", 0, "size="+size); err != nil {
		need.Skip(t, need.System, "no disk can be mounted: %v", err)
	}
	t.Cleanup(func() { require.NoError(t, unix.Unmount(folder, unix.MNT_DETACH)) })
	return folder
}

// usable reads and writes as a run does: nothing fails.
func usable(f *cache.Folder, from, to int) (found int) {
	for number := from; number < to; number++ {
		p := make([]byte, 100_000)
		if _, ok := f.Get(key(number), p); ok {
			found++
		} else {
			f.Put(key(number), nil, content(number, len(p)), time.Second)
		}
	}
	return found
}

func TestFullDisk(t *testing.T) {
	folder := disk(t, "1m")
	var w warnings
	f := w.open(t, folder)
	assert.Zero(t, usable(f, 0, 30))
	require.Len(t, w, 1, "one warning")
	assert.ErrorIs(t, w[0], unix.ENOSPC)
	assert.ErrorContains(t, w[0], "disk cache")
	s := f.Stats()
	assert.True(t, s.Off)
	assert.Positive(t, s.Kept)
	assert.EqualValues(t, s.Kept, usable(f, 0, 30), "what is there is read")
	names, err := os.ReadDir(filepath.Join(folder, "v1/new"))
	require.NoError(t, err)
	assert.Empty(t, names, "nothing half-written stays")
	bytes, _ := room(folder)
	assert.Equal(t, bytes, f.Stats().Bytes)

	full := disk(t, "4k") // too small for the folder itself
	w = nil
	usable(w.open(t, filepath.Join(full, "a")), 0, 3)
	assert.LessOrEqual(t, len(w), 1)
}

func TestReadOnlyDisk(t *testing.T) {
	folder := disk(t, "8m")
	var w warnings
	f := w.open(t, folder)
	require.Zero(t, usable(f, 0, 10))
	require.Empty(t, w)
	require.NoError(t, f.Close())
	require.NoError(t, unix.Mount("", folder, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""))
	f = w.open(t, folder)
	assert.Equal(t, 10, usable(f, 0, 20))
	require.Len(t, w, 1)
	assert.ErrorIs(t, w[0], unix.EROFS)

	w = nil
	f = w.open(t, filepath.Join(folder, "none"))
	assert.Zero(t, usable(f, 0, 3))
	require.Len(t, w, 1)
}

// The path is not a folder, or its owner has removed the permission to write.
func TestNoFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	var w warnings
	assert.Zero(t, usable(w.open(t, filepath.Join(file, "cache")), 0, 3))
	require.Len(t, w, 1)
	assert.ErrorContains(t, w[0], file)

	if os.Geteuid() == 0 {
		return // root may write everywhere
	}
	folder := t.TempDir()
	w = nil
	require.Zero(t, usable(w.open(t, folder), 0, 3))
	for _, name := range []string{folder, filepath.Join(folder, "v1"), filepath.Join(folder, "v1/new")} {
		require.NoError(t, os.Chmod(name, 0o500))
		t.Cleanup(func() { require.NoError(t, os.Chmod(name, 0o700)) })
	}
	assert.Equal(t, 3, usable(w.open(t, folder), 0, 6))
	require.Len(t, w, 1)
}

// The folder is removed while it is in use.
func TestFolderRemoved(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "cache")
	var w warnings
	f := w.open(t, folder)
	usable(f, 0, 3)
	require.NoError(t, os.RemoveAll(folder))
	assert.Zero(t, usable(f, 0, 3))
	assert.Zero(t, usable(f, 0, 3))
	require.Len(t, w, 1)
	w = nil
	g := w.open(t, folder)
	assert.Zero(t, usable(g, 0, 3))
	assert.Equal(t, 3, usable(g, 0, 3))
	assert.Empty(t, w)
}

// Leftovers of older versions are removed, unless a process uses them. Newer versions and other files stay.
func TestOldVersions(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"v0/demand", "v0/00/x", "v2/demand", "v-1/demand", "photos/demand", "v00/demand"} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(folder, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), nil, 0o600))
	}
	old, err := os.Open(filepath.Join(folder, "v0/demand"))
	require.NoError(t, err)
	require.NoError(t, unix.Flock(int(old.Fd()), unix.LOCK_SH))
	open(t, folder, 0)
	assert.DirExists(t, filepath.Join(folder, "v0"))
	require.NoError(t, old.Close())
	open(t, folder, 0)
	assert.NoDirExists(t, filepath.Join(folder, "v0"))
	for _, name := range []string{"v2", "photos", "v00", "v1"} {
		assert.DirExists(t, filepath.Join(folder, name))
	}
	assert.FileExists(t, filepath.Join(folder, "CACHEDIR.TAG"))
}
