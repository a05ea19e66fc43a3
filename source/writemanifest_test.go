package source_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/source"
)

// TestWriteManifest: the written manifest lists the same items.
func TestWriteManifest(t *testing.T) {
	b := remotely(t, "train/cat/1.jpg", "train/cat/with, comma.jpg", "train/dog/2.png", "train/dog/deep/3.png",
		"digits/10/a.jpg", "digits/9/b.jpg",
		"flat/x.jpg", "flat/y.jpg", "gaps/full/1.jpg", "gaps/empty/notes.txt")
	t.Chdir(b.folder)
	pack(t, "s.tar", "1.jpg", "one", "1.cls", "9", "2.jpg", "two")
	require.NoError(t, os.WriteFile("list.txt", []byte("flat/x.jpg\t5\nflat/y.jpg\t-1\n"), 0o644))
	for _, test := range []struct {
		args   []string
		labels string // column of the manifest
		stored bool
	}{
		{[]string{bucketURL + "train"}, "cat,cat,dog,dog", true},
		{[]string{bucketURL + "train/**/*.png"}, ",", true},
		{[]string{"train"}, "cat,cat,dog,dog", false},
		{[]string{"train", bucketURL + "flat"}, "cat,cat,dog,dog,,", false},
		{[]string{bucketURL + "digits"}, "0,1", true},
		{[]string{bucketURL + "gaps"}, "1", true},
		{[]string{"@list.txt", "train"}, "5,,0,0,1,1", false},
		{[]string{"s.tar"}, "9,", false},
		{[]string{"flat/x.jpg", bucketURL + "flat/y.jpg"}, ",", false},
	} {
		o := source.Options{Remote: b, AllowEmpty: true}
		want, err := source.Open(t.Context(), test.args, o)
		require.NoError(t, err, test.args)
		path := filepath.Join(t.TempDir(), "all.csv")
		f, err := os.Create(path)
		require.NoError(t, err)
		require.NoError(t, want.WriteManifest(f))
		require.NoError(t, f.Close())

		text, err := os.ReadFile(path)
		require.NoError(t, err)
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")[1:]
		labels := make([]string, len(lines))
		for i, line := range lines {
			fields := strings.Split(line, ",")
			labels[i] = fields[len(fields)-4]
		}
		assert.Equal(t, test.labels, strings.Join(labels, ","), test.args)

		b.looked.Store(0)
		b.listed = 0
		got, err := source.Open(t.Context(), []string{path}, o)
		require.NoError(t, err, test.args)
		assert.Zero(t, b.listed)
		require.Equal(t, want.Len(), got.Len())
		if strings.ContainsAny(test.labels, "cd") {
			assert.Equal(t, want.Classes(), got.Classes())
		}
		for i := range want.Len() {
			assert.Equal(t, want.Item(i), got.Item(i), test.args)
			assert.Equal(t, content(t, want, i), content(t, got, i))
		}
		if test.stored {
			assert.Zero(t, b.looked.Load(), "the manifest says sizes")
		}
	}
}

// TestManifestOfObjects: a size without a version, or a version without a size, is ignored.
func TestManifestOfObjects(t *testing.T) {
	b := remotely(t, "a.jpg")
	for rows, looked := range map[string]int{
		"path,size,etag\nmem://bucket/a.jpg,18,v1\n":    0,
		"path,size\nmem://bucket/a.jpg,18\n":            1,
		"path,etag\nmem://bucket/a.jpg,v1\n":            1,
		"path,size,etag\nmem://bucket/a.jpg,large,v1\n": 1,
		"path,size,etag\nmem://bucket/a.jpg\n":          1,
	} {
		b.looked.Store(0)
		path := filepath.Join(t.TempDir(), "m.csv")
		require.NoError(t, os.WriteFile(path, []byte(rows), 0o644))
		s, err := source.Open(t.Context(), []string{path}, source.Options{Remote: b})
		require.NoError(t, err)
		assert.Equal(t, "the bytes of a.jpg", content(t, s, 0))
		assert.EqualValues(t, looked, b.looked.Load(), rows)
	}
	path := filepath.Join(t.TempDir(), "m.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(`{"path": "mem://bucket/a.jpg", "size": 18, "etag": "v1"}`), 0o644))
	s, err := source.Open(t.Context(), []string{path}, source.Options{Remote: b})
	require.NoError(t, err)
	b.looked.Store(0)
	assert.Equal(t, "the bytes of a.jpg", content(t, s, 0))
	assert.Zero(t, b.looked.Load())
}
