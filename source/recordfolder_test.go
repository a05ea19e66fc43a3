package source_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source"
)

// siblings creates folders of images, masks and texts. Each file holds its own name.
func siblings(t *testing.T, b *bucket, names ...string) {
	t.Helper()
	for _, name := range names {
		path := filepath.Join(b.folder, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(name), 0o600))
	}
}

// TestRecordsOfFolders: files have the same path below their folders, and stores are read as folders are.
func TestRecordsOfFolders(t *testing.T) {
	b := remotely(t)
	siblings(t, b, "images/2.jpg", "images/1.png", "images/a.b.JPG", "images/4.jpg", "images/5.jpg", "images/notes.txt",
		"masks/1.png", "masks/2.webp", "masks/a.b.png", "masks/a.png", "masks/5.png", "masks/5.gif", "masks/.4.png",
		"masks/4.png/x", "masks/other.png", "texts/1", "texts/a.b.txt", "texts/2.txt", "unused/x", ".git/x")
	t.Chdir(b.folder)
	for root, o := range map[string]source.Options{"./": {}, ".": {}, bucketURL: {Remote: b},
		strings.TrimSuffix(bucketURL, "/"): {Remote: b}} {
		r := openRecords(t, root, "texts? images mask;masks", o)
		prefix := ""
		if o.Remote != nil {
			prefix = bucketURL
		}
		assert.Equal(t, []string{prefix + "texts/1", prefix + "texts/2.txt", prefix + "images/4.jpg",
			prefix + "images/5.jpg", prefix + "texts/a.b.txt"}, names(r), root)
		assert.Equal(t, []string{"1", "2", "4", "5", "a.b"}, keys(r))
		assert.Equal(t, [][]string{
			{"texts/1", "images/1.png", "masks/1.png"},
			{"texts/2.txt", "images/2.jpg", "masks/2.webp"},
			{"-", "images/4.jpg",
				"! open " + prefix + "images/4.jpg: not-found: there is no file " + prefix + "masks/4 with any extension"},
			{"-", "images/5.jpg",
				"! open " + prefix + "images/5.jpg: corrupt: two files fit in " + prefix + "masks/: 5.gif and 5.png"},
			{"texts/a.b.txt", "images/a.b.JPG", "masks/a.b.png"},
		}, readAll(t, r, 3))
		assert.Equal(t, []string{prefix + "masks/: 2 files that belong to no sample of " + prefix + "images/"},
			r.Notices()[:1])
		assert.Contains(t, r.Notices()[1], ": folders that are not used: unused")
		assert.Equal(t, "1 .txt", r.Skipped().String())
		assert.Nil(t, r.Classes())
		assert.Equal(t, o.Remote != nil, r.Remote())
	}
}

// TestClassesOfRecordFolders: the folder of the first required input may be a tree of classes.
func TestClassesOfRecordFolders(t *testing.T) {
	b := remotely(t)
	siblings(t, b, "d/images/dog/1.jpg", "d/images/cat/x/1.jpg", "d/images/cat/2.jpg", "d/masks/dog/1.png",
		"d/masks/cat/x/1.png", "d/masks/cat/1.png", "d/clips/dog/1.mp4")
	t.Chdir(b.folder)
	r := openRecords(t, "d", "images masks?", source.Options{})
	assert.Equal(t, []string{"cat/2", "cat/x/1", "dog/1"}, keys(r))
	assert.Equal(t, []int64{0, 0, 1}, labels(r))
	assert.Equal(t, []string{"cat", "dog"}, r.Classes())
	assert.Equal(t, [][]string{{"d/images/cat/2.jpg", "-"}, {"d/images/cat/x/1.jpg", "d/masks/cat/x/1.png"},
		{"d/images/dog/1.jpg", "d/masks/dog/1.png"}}, readAll(t, r, 2))
	r = openRecords(t, "d", "masks? clips", source.Options{Medium: source.Videos, Ignore: []string{"images"}})
	assert.Equal(t, [][]string{{"d/masks/dog/1.png", "d/clips/dog/1.mp4"}}, readAll(t, r, 2))
	assert.Equal(t, []string{"d/masks/dog/1.png"}, names(r))
	assert.Empty(t, r.Notices())
	r = openRecords(t, "d", "masks/dog", source.Options{Extensions: []string{".png"}})
	assert.Equal(t, []string{"1"}, keys(r))
}

func TestRecordFoldersRefuse(t *testing.T) {
	tree(t, "d/images/1.jpg", "d/masks/2.png", "d/texts/1.txt", "d/void/")
	for in, want := range map[string]string{
		"images mask": "list d: not-found: no folder is called mask; there are images, masks, texts, void; " +
			"did you mean masks?",
		"images masks": "list d/masks/: not-found: no file has the path of one in d/images/, except for the extension; " +
			"there are 2.png",
		"images void": "list d/void/: not-found: no file has the path of one in d/images/, except for the extension; " +
			"there are none",
		"texts images":  "list d/texts: empty: no images in this folder (seen: 1 .txt); looked for .jpg .jpeg",
		"image? photo?": "list d: empty: no images in this folder, which holds no files",
	} {
		_, err := source.OpenRecords(t.Context(), []string{"d"}, inputs(in), source.Options{})
		require.ErrorContains(t, err, want)
		require.NotEmpty(t, spool.ClassOf(err))
	}
	r := openRecords(t, "d", "images masks? depth?", source.Options{Ignore: []string{"*"}})
	assert.Equal(t, [][]string{{"", "-", "-"}}, readAll(t, r, 3))
	assert.Equal(t, []string{
		"d: optional input: no folder is called depth; there are images, masks, texts, void",
		"d/masks/: optional input: no file has the path of one in d/images/, except for the extension; there are 2.png",
	}, r.Notices())
}

// paired is a file system of folders with the same files. It stores nothing.
type paired struct{ files int }

func (paired) Open(string) (fs.File, error) { return nil, fs.ErrNotExist }

func (paired) Stat(name string) (fs.FileInfo, error) {
	return made{name: name, folder: true}, nil
}

func (p paired) ReadDir(name string) ([]fs.DirEntry, error) {
	if name == "." {
		return []fs.DirEntry{made{name: "images", folder: true}, made{name: "masks", folder: true}}, nil
	}
	var list []fs.DirEntry
	for file := range p.files {
		list = append(list, made{name: fmt.Sprintf("%08d%s", file, map[string]string{"images": ".jpg"}[name])})
	}
	return list, nil
}

// TestMemoryOfRecordFolders: a sample costs what it does in a Folder, and two bytes for each further input.
func TestMemoryOfRecordFolders(t *testing.T) {
	const samples = 150_000 // of several groups
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	r, err := source.RecordsFS(t.Context(), paired{samples}, ".", inputs("images masks"), source.Options{})
	require.NoError(t, err)
	runtime.GC()
	runtime.ReadMemStats(&after)
	perSample := float64(int64(after.HeapAlloc)-int64(before.HeapAlloc)) / samples
	t.Logf("%.1f bytes a sample", perSample)
	assert.Less(t, perSample, 12+4+2+2.0)
	require.Equal(t, samples, r.Len())
	_, err = r.OpenInput(t.Context(), samples-1, 1)
	assert.EqualError(t, err, "open masks/00149999: not-found: file does not exist")
	assert.Empty(t, r.Notices())
	runtime.KeepAlive(r)
}
