package source_test

import (
	"cmp"
	"context"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source"
)

// bucket is a store backed by a local folder, with "mem://bucket/" before each name. It counts requests.
type bucket struct {
	folder string
	bare   bool                                   // it cannot list
	before func(ctx context.Context, n int) error // called before Walk gives its n-th object

	looked atomic.Int64
	listed int
}

const bucketURL = "mem://bucket/"

func (b *bucket) Known(name string) bool { return strings.HasPrefix(name, "mem://") }

func (b *bucket) Open(ctx context.Context, e source.Entry) (spool.Object, error) {
	if e.Size == 0 {
		b.looked.Add(1)
	}
	o, err := source.Files(filepath.Join(b.folder, strings.TrimPrefix(e.URL, bucketURL))).Open(ctx, 0)
	if err != nil {
		return nil, &spool.Error{Op: "open", File: e.URL, Class: spool.ClassOf(err), Text: "in the bucket"}
	}
	return o, nil
}

func (b *bucket) List(ctx context.Context, prefix string) iter.Seq2[source.Entry, error] {
	b.listed++
	return func(yield func(source.Entry, error) bool) {
		if b.bare {
			yield(source.Entry{}, &spool.Error{Op: "list", File: prefix, Class: spool.ErrUnsupported, Text: "it tells nothing"})
			return
		}
		var all []source.Entry
		_ = filepath.WalkDir(b.folder, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				info, _ := d.Info()
				path, _ = filepath.Rel(b.folder, path)
				all = append(all, source.Entry{URL: bucketURL + path, Size: info.Size(), Version: "v1"})
			}
			return err
		})
		slices.SortFunc(all, func(a, b source.Entry) int { return cmp.Compare(a.URL, b.URL) })
		for _, e := range all {
			if err := ctx.Err(); err != nil {
				yield(source.Entry{}, err)
				return
			}
			if strings.HasPrefix(e.URL, prefix) && !yield(e, nil) {
				return
			}
		}
	}
}

// Walk is List with a call of before for each object.
func (b *bucket) Walk(ctx context.Context, prefix string) iter.Seq2[source.Entry, error] {
	return func(yield func(source.Entry, error) bool) {
		n := 0
		for e, err := range b.List(ctx, prefix) {
			if err == nil && b.before != nil {
				err = b.before(ctx, n)
			}
			n++
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// remotely creates files, and a bucket of them.
func remotely(t *testing.T, names ...string) *bucket {
	t.Helper()
	b := &bucket{folder: t.TempDir()}
	for _, name := range names {
		path := filepath.Join(b.folder, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte("the bytes of "+name), 0o644))
	}
	return b
}

func TestRemoteFoldersAreReadAsFoldersAre(t *testing.T) {
	b := remotely(t, "train/cat/1.jpg", "train/cat/2.jpg", "train/cat/kittens/3.png", "train/cat-like/4.jpg",
		"train/dog/5.webp",
		"train/dog/notes.txt", "train/.hidden/6.jpg", "train/7.jpg", "trainer/cat/8.jpg", "other/9.jpg")
	for _, name := range []string{"train", "train/", "train/cat", "other"} {
		local, err := source.Open(t.Context(), []string{filepath.Join(b.folder, name)}, source.Options{})
		require.NoError(t, err)
		remote, err := source.Open(t.Context(), []string{bucketURL + name}, source.Options{Remote: b})
		require.NoError(t, err)
		require.Equal(t, local.Len(), remote.Len(), name)
		assert.Equal(t, local.Classes(), remote.Classes())
		assert.Equal(t, local.Skipped(), remote.Skipped())
		for i := range local.Len() {
			want := local.Item(i)
			want.Name = bucketURL + strings.TrimPrefix(want.Name, b.folder+"/")
			assert.Equal(t, want, remote.Item(i))
			assert.Equal(t, content(t, local, i), content(t, remote, i))
		}
	}
	assert.Zero(t, b.looked.Load(), "what a listing has told is not asked for again")
}

func TestRemoteObjects(t *testing.T) {
	b := remotely(t, "a.jpg", "photo", "photo-2/x.jpg", "photos/y.jpg")
	s, err := source.Open(t.Context(), []string{bucketURL + "a.jpg", bucketURL + "photo"}, source.Options{Remote: b})
	require.NoError(t, err)
	assert.Equal(t, []string{bucketURL + "a.jpg", bucketURL + "photo"}, names(s))
	assert.Equal(t, "the bytes of photo", content(t, s, 1))
	assert.Equal(t, 1, b.listed, "a name that says what it is needs no question")

	b.bare = true
	s, err = source.Open(t.Context(), []string{bucketURL + "photo"}, source.Options{Remote: b})
	require.NoError(t, err)
	assert.Equal(t, "the bytes of photo", content(t, s, 0))
}

func TestRemotePatterns(t *testing.T) {
	b := remotely(t, "train/cat/1.jpg", "train/cat/2.png", "train/dog/3.jpg", "train/.hidden/4.jpg", "test/5.jpg",
		"odd/a?.jpg", "odd/ab.jpg", "s-01.txt")
	for pattern, want := range map[string][]string{
		"train/*/*.jpg":       {"train/cat/1.jpg", "train/dog/3.jpg"},
		"t*/*.jpg":            {"test/5.jpg"},
		"**/[15].jpg":         {"test/5.jpg", "train/cat/1.jpg"},
		"train/c*":            {"train/cat/1.jpg", "train/cat/2.png"},
		"odd/a?.jpg":          {"odd/a?.jpg"}, // an object has exactly that name
		"odd/?b.jpg":          {"odd/ab.jpg"},
		"{test/5,odd/ab}.jp*": {"test/5.jpg", "odd/ab.jpg"},
		"train/{dog,cat}/":    {"train/dog/3.jpg", "train/cat/1.jpg", "train/cat/2.png"},
	} {
		b.looked.Store(0)
		s, err := source.Open(t.Context(), []string{bucketURL + pattern}, source.Options{Remote: b})
		require.NoError(t, err, pattern)
		require.Equal(t, len(want), s.Len(), pattern)
		for i := range want {
			want[i] = bucketURL + want[i]
		}
		for i := range want {
			assert.Equal(t, spool.Redacted(want[i]), s.Item(i).Name, pattern)
			assert.Equal(t, "the bytes of "+strings.TrimPrefix(want[i], bucketURL), content(t, s, i))
		}
		assert.Zero(t, b.looked.Load(), "what a listing has told is not asked for again")
	}
	for pattern, class := range map[string]error{"train/*/*.tiff": spool.ErrNotFound, "none*/x": spool.ErrNotFound,
		"train/[": spool.ErrOptions} {
		_, err := source.Open(t.Context(), []string{bucketURL + pattern}, source.Options{Remote: b})
		require.ErrorIs(t, err, class, pattern)
		assert.Contains(t, err.Error(), bucketURL+pattern)
	}
	b.bare = true
	s, err := source.Open(t.Context(), []string{bucketURL + "test/5.jpg?signed"}, source.Options{Remote: b})
	require.NoError(t, err, "a store that lists nothing has no patterns")
	assert.Equal(t, []string{bucketURL + "test/5.jpg"}, names(s), "a query may be a signature")
}

func TestRemoteLists(t *testing.T) {
	b := remotely(t, "lists/x/1.jpg", "lists/2.jpg")
	local := filepath.Join(t.TempDir(), "here.jpg")
	require.NoError(t, os.WriteFile(local, []byte("of this machine"), 0o644))
	lines := "x/1.jpg\t7\n" + bucketURL + "lists/2.jpg\t8\n" + local + "\t9\n"
	require.NoError(t, os.WriteFile(filepath.Join(b.folder, "lists/all.txt"), []byte(lines), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(b.folder, "lists/all.csv"),
		[]byte("path,label\n"+strings.ReplaceAll(lines, "\t", ",")), 0o644))
	for _, name := range []string{"@" + bucketURL + "lists/all.txt", bucketURL + "lists/all.csv"} {
		s, err := source.Open(t.Context(), []string{name}, source.Options{Remote: b})
		require.NoError(t, err)
		require.Equal(t, []string{bucketURL + "lists/x/1.jpg", bucketURL + "lists/2.jpg", local}, names(s), name)
		for i, want := range []string{"the bytes of lists/x/1.jpg", "the bytes of lists/2.jpg", "of this machine"} {
			assert.Equal(t, want, content(t, s, i))
			assert.EqualValues(t, 7+i, s.Item(i).Label)
		}
	}
}

func TestRemoteShards(t *testing.T) {
	b := remotely(t)
	t.Chdir(b.folder)
	pack(t, "s.tar", "1.jpg", "one", "1.cls", "9", "2.jpg", "two")
	local, err := source.Open(t.Context(), []string{filepath.Join(b.folder, "s.tar")}, source.Options{})
	require.NoError(t, err)
	remote, err := source.Open(t.Context(), []string{bucketURL + "s.tar"}, source.Options{Remote: b})
	require.NoError(t, err)
	require.Equal(t, 2, remote.Len())
	for i := range local.Len() {
		assert.Equal(t, local.Item(i).Label, remote.Item(i).Label)
		assert.Equal(t, content(t, local, i), content(t, remote, i))
	}
	assert.Equal(t, bucketURL+"s.tar/1.jpg", remote.Item(0).Name)
}

func TestListingsSayWhetherTheyAreRemote(t *testing.T) {
	b := remotely(t, "train/cat/1.jpg", "photo", "all.txt", "all.csv")
	t.Chdir(b.folder)
	pack(t, "s.tar", "1.jpg", "one")
	require.NoError(t, os.WriteFile("here.txt", []byte("train/cat/1.jpg\n"), 0o644))
	require.NoError(t, os.WriteFile("away.txt", []byte("photo\n"+bucketURL+"photo\n"), 0o644))
	require.NoError(t, os.WriteFile("here.csv", []byte("path\nphoto\n"), 0o644))
	require.NoError(t, os.WriteFile("away.csv", []byte("path\n"+bucketURL+"photo\n"), 0o644))
	require.NoError(t, os.WriteFile("all.txt", []byte("photo\n"), 0o644))
	require.NoError(t, os.WriteFile("all.csv", []byte("path\nphoto\n"), 0o644))
	for name, remote := range map[string]bool{
		"train": false, "photo": false, "s.tar": false, "@here.txt": false, "here.csv": false,
		"train " + bucketURL + "photo": true, bucketURL + "train": true, bucketURL + "s.tar": true, bucketURL + "photo": true,
		"@away.txt": true, "away.csv": true, "@" + bucketURL + "all.txt": true, bucketURL + "all.csv": true,
	} {
		s, err := source.Open(t.Context(), strings.Fields(name), source.Options{Remote: b})
		require.NoError(t, err, name)
		assert.Equal(t, remote, s.Remote(), name)
	}
	assert.False(t, source.Files(bucketURL+"photo").Remote(), "without a store it is a path")
}

func TestRemoteProblems(t *testing.T) {
	b := remotely(t, "notes/a.txt")
	for name, class := range map[string]error{
		bucketURL + "nothing":     spool.ErrEmpty,
		bucketURL + "notes":       spool.ErrEmpty,
		"@" + bucketURL + "x.txt": spool.ErrNotFound,
		bucketURL + "x.csv":       spool.ErrNotFound,
		bucketURL + "x.tar":       spool.ErrNotFound,
	} {
		_, err := source.Open(t.Context(), []string{name}, source.Options{Remote: b})
		require.ErrorIs(t, err, class, name)
		assert.Contains(t, err.Error(), strings.TrimPrefix(name, "@"))
	}
	s, err := source.Open(t.Context(), []string{bucketURL + "x.jpg"}, source.Options{Remote: b})
	require.NoError(t, err, "as with files, what is named is looked at when it is opened")
	_, err = s.Open(t.Context(), 0)
	require.ErrorIs(t, err, spool.ErrNotFound)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = source.Open(ctx, []string{bucketURL + "notes"}, source.Options{Remote: b})
	require.ErrorIs(t, err, spool.ErrCanceled)
}
