package source_test

import (
	"fmt"
	"io/fs"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/source"
)

// imagenet is a file system of classes x files with names as long as ImageNet's. It stores nothing.
type imagenet struct{ classes, files int }

func (n imagenet) Open(string) (fs.File, error) { return nil, fs.ErrNotExist }

func (n imagenet) Stat(name string) (fs.FileInfo, error) { return made{name: name, folder: true}, nil }

func (n imagenet) ReadDir(name string) ([]fs.DirEntry, error) {
	var list []fs.DirEntry
	if name == "." {
		for class := range n.classes {
			list = append(list, made{name: fmt.Sprintf("n%08d", class), folder: true})
		}
		return list, nil
	}
	for file := range n.files {
		list = append(list, made{name: fmt.Sprintf("%s_%d.JPEG", name, 10000+file)})
	}
	return list, nil
}

// made is a synthetic entry.
type made struct {
	name   string
	folder bool
}

func (e made) Name() string               { return e.name }
func (e made) IsDir() bool                { return e.folder }
func (e made) Info() (fs.FileInfo, error) { return e, nil }
func (e made) Size() int64                { return 0 }
func (e made) Mode() fs.FileMode          { return e.Type() }
func (e made) ModTime() time.Time         { return time.Time{} }
func (e made) Sys() any                   { return nil }

func (e made) Type() fs.FileMode {
	if e.folder {
		return fs.ModeDir
	}
	return 0
}

// TestMemoryOfAListing: an item costs the bytes of its name (20 here), four for its end, and little else.
func TestMemoryOfAListing(t *testing.T) {
	const classes, files = 100, 1000
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	s, err := source.FS(t.Context(), imagenet{classes, files}, ".", source.Options{})
	require.NoError(t, err)
	runtime.GC()
	runtime.ReadMemStats(&after)
	perItem := float64(int64(after.HeapAlloc)-int64(before.HeapAlloc)) / (classes * files)
	t.Logf("%.1f bytes an item", perItem)
	assert.Less(t, perItem, 32.0)

	require.Equal(t, classes*files, s.Len())
	assert.Len(t, s.Classes(), classes)
	assert.Equal(t, source.Item{ID: 99_999, Name: "n00000099/n00000099_10999.JPEG", Label: 99}, s.Item(99_999))
	runtime.KeepAlive(s)
}

func TestItemCost(t *testing.T) {
	s, err := source.FS(t.Context(), imagenet{10, 100}, ".", source.Options{})
	require.NoError(t, err)
	assert.Equal(t, 1.0, testing.AllocsPerRun(100, func() { _ = s.Item(777) }), "the name")
}

func BenchmarkItem(b *testing.B) {
	s, err := source.FS(b.Context(), imagenet{1000, 1000}, ".", source.Options{})
	require.NoError(b, err)
	i := 0
	for b.Loop() {
		_ = s.Item(i)
		i = (i + 7919) % s.Len()
	}
}

func BenchmarkListing(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := source.FS(b.Context(), imagenet{100, 1000}, ".", source.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
