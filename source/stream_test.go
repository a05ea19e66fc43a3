package source_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/bubble"
	"github.com/spoolmedia/spool/internal/need"
	"github.com/spoolmedia/spool/source"
)

// streamed lists arguments as a stream, and opens each sample.
func streamed(t *testing.T, o source.Options, args ...string) (items []source.Item, contents []string, failed error) {
	t.Helper()
	s, err := source.OpenStream(t.Context(), args, o)
	require.NoError(t, err, args)
	assert.Negative(t, s.Len())
	assert.Nil(t, s.Classes())
	for item, err := range s.Samples(t.Context(), 0) {
		if err != nil {
			failed = err
			break
		}
		assert.Equal(t, item, s.Item(int(item.ID)))
		items = append(items, item)
		contents = append(contents, content(t, s, int(item.ID)))
	}
	return items, contents, failed
}

func namesOf(items []source.Item) (names []string) {
	for _, i := range items {
		names = append(names, i.Name)
	}
	return names
}

// A folder is listed in the order in which a store lists its keys, so both give the same samples.
func TestStreamsComeInTheOrderOfKeys(t *testing.T) {
	want := []string{"7.jpg", "cat-like/4.jpg", "cat.jpg", "cat/1.jpg", "cat/10.jpg", "cat/2.jpg", "cat/kittens/3.png",
		"dog/5.webp"}
	b := remotely(t, "train/.hidden/6.jpg", "train/dog/notes.txt", "train/dog/.x.jpg", "trainer/cat/8.jpg", "other/9.jpg")
	for _, name := range want {
		put(t, b, "train/"+name)
	}
	o := source.Options{Remote: b}
	for _, root := range []string{bucketURL, b.folder + "/"} {
		for _, name := range []string{"train", "train/"} {
			items, contents, err := streamed(t, o, root+name)
			require.NoError(t, err)
			require.Len(t, items, len(want))
			for i := range want {
				assert.Equal(t, source.Item{ID: int64(i), Name: root + "train/" + want[i], Label: -1}, items[i])
				assert.Equal(t, "the bytes of train/"+want[i], contents[i])
			}
		}
	}
	assert.Zero(t, b.looked.Load(), "what a listing has told is not asked for again")

	local, err := source.Open(t.Context(), []string{filepath.Join(b.folder, "other")}, o)
	require.NoError(t, err)
	items, _, err := streamed(t, o, filepath.Join(b.folder, "other"))
	require.NoError(t, err)
	assert.Equal(t, names(local), namesOf(items), "without folders in it the order is Open's")
}

func put(t *testing.T, b *bucket, name string) {
	t.Helper()
	path := filepath.Join(b.folder, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte("the bytes of "+name), 0o644))
}

// Patterns match the same names as in Open.
func TestStreamsOfPatterns(t *testing.T) {
	b := remotely(t, "train/cat/1.jpg", "train/cat/2.png", "train/cat/deep/6.jpg", "train/cat/notes.txt",
		"train/dog/3.jpg", "train/.hidden/4.jpg", "test/5.jpg", "odd/a?.jpg",
		"odd/ab.jpg", "s-01.txt", "s-02.txt")
	for _, pattern := range []string{"train/*/*.jpg", "t*/*.jpg", "**/[15].jpg", "train/c*", "train/*/", "train/**/*.jpg",
		"train/cat/**", "**", "odd/a?.jpg", "odd/?b.jpg",
		"{test/5,odd/ab}.jp*", "train/{dog,cat}/", "train/cat/*", "s-*.txt", "*/cat/**/[0-9].*", "", "train/cat/1.jpg",
		"train/.h*/*"} {
		o := source.Options{Remote: b}
		want, err := source.Open(t.Context(), []string{bucketURL + pattern}, o)
		require.NoError(t, err, pattern)
		items, contents, err := streamed(t, o, bucketURL+pattern)
		require.NoError(t, err, pattern)
		known := names(want)
		if want.Classes() == nil {
			assert.ElementsMatch(t, known, namesOf(items), pattern)
		} else { // Open leaves out the files next to class folders
			assert.Subset(t, namesOf(items), known, pattern)
		}
		for i, item := range items {
			assert.Equal(t, item.Name, spool.Redacted(bucketURL+strings.TrimPrefix(contents[i], "the bytes of ")))
			assert.EqualValues(t, -1, item.Label)
		}
		if !strings.Contains(pattern, "{") {
			assert.True(t, slices.IsSorted(namesOf(items)), pattern)
		}
	}
	b.bare = true
	s, err := source.OpenStream(t.Context(), []string{bucketURL + "test/5.jpg?signed", bucketURL + "odd/ab"},
		source.Options{Remote: b})
	require.NoError(t, err)
	var items []source.Item
	for item, err := range s.Samples(t.Context(), 0) {
		require.NoError(t, err, "a store that lists nothing has no patterns")
		items = append(items, item)
	}
	assert.Equal(t, []string{bucketURL + "test/5.jpg", bucketURL + "odd/ab"}, namesOf(items))
}

// Arguments of all kinds are listed in order. Lists and tables are read as in Open.
func TestStreamsOfAllArguments(t *testing.T) {
	b := remotely(t, "photos/1.jpg", "photos/cat/2.jpg", "plain")
	t.Chdir(b.folder)
	pack(t, "s.tar", "1.jpg", "one", "1.cls", "9", "2.jpg", "two")
	pack(t, "photos/t.tar", "x.jpg", "three")
	require.NoError(t, os.WriteFile("list.txt", []byte("photos/1.jpg\t7\n"+bucketURL+"plain\n"), 0o644))
	require.NoError(t, os.WriteFile("table.csv", []byte("path,label\nplain,cat\n"), 0o644))
	items, contents, err := streamed(t, source.Options{Remote: b}, "photos", "@list.txt", "table.csv",
		bucketURL+"photos/*.tar", "s.tar", bucketURL+"plain")
	require.NoError(t, err)
	var got []string
	for i, item := range items {
		assert.EqualValues(t, i, item.ID)
		got = append(got, fmt.Sprint(item.Name, " ", item.Label, " ", contents[i]))
	}
	assert.Equal(t, []string{
		"photos/1.jpg -1 the bytes of photos/1.jpg", "photos/cat/2.jpg -1 the bytes of photos/cat/2.jpg",
		"photos/1.jpg 7 the bytes of photos/1.jpg", bucketURL + "plain -1 the bytes of plain",
		"plain -1 the bytes of plain",
		bucketURL + "photos/t.tar/x.jpg -1 three",
		"s.tar/1.jpg 9 one", "s.tar/2.jpg -1 two",
		bucketURL + "plain -1 the bytes of plain",
	}, got)
}

// Errors are those of Open: at once for local names, and for prefixes and folders when the stream gets there.
func TestStreamsThatFail(t *testing.T) {
	b := remotely(t, "notes/a.txt", "photos/1.jpg")
	o := source.Options{Remote: b}
	for _, name := range []string{bucketURL + "nothing", bucketURL + "notes", bucketURL + "notes/",
		bucketURL + "notes/*.jpg", bucketURL + "none*/x", filepath.Join(b.folder, "notes")} {
		_, want := source.Open(t.Context(), []string{name}, o)
		require.Error(t, want)
		items, _, err := streamed(t, o, bucketURL+"photos", name)
		assert.Len(t, items, 1, "what came before")
		require.ErrorIs(t, err, spool.ClassOf(want), name)
		assert.Equal(t, want.Error(), err.Error())
	}
	args := []string{bucketURL + "photos/", "none.jpg", "none*.jpg", bucketURL + "x.csv", bucketURL + "[", "@none"}
	_, want := source.Open(t.Context(), args[1:], o)
	_, err := source.OpenStream(t.Context(), args, o)
	require.Error(t, err)
	assert.ElementsMatch(t, strings.Split(want.Error(), "\n"), strings.Split(err.Error(), "\n"))
	_, err = source.OpenStream(t.Context(), nil, o)
	require.ErrorIs(t, err, spool.ErrOptions)
	_, err = source.OpenStream(t.Context(), []string{"x"}, source.Options{Medium: 200})
	require.ErrorIs(t, err, spool.ErrOptions)

	middle := errors.New("the network is gone")
	put(t, b, "photos/2.jpg")
	put(t, b, "photos/3.jpg")
	b.before = func(_ context.Context, n int) error {
		if n == 2 {
			return &spool.Error{Op: "list", Class: spool.ErrIO, Err: middle, Text: middle.Error()}
		}
		return nil
	}
	items, _, err := streamed(t, o, bucketURL+"photos/")
	assert.Len(t, items, 2)
	require.ErrorIs(t, err, middle)
	assert.Contains(t, err.Error(), bucketURL+"photos/")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = source.OpenStream(ctx, []string{"x.jpg"}, o)
	require.ErrorIs(t, err, spool.ErrCanceled)
}

// Names are given while the listing goes on. If the listing hangs, the end of the context ends it.
func TestStreamsDoNotWaitForTheListing(t *testing.T) {
	b := remotely(t, "p/1.jpg", "p/2.jpg", "p/3.jpg")
	hangs := make(chan struct{})
	b.before = func(ctx context.Context, n int) error {
		if n < 2 {
			return nil
		}
		close(hangs)
		<-ctx.Done()
		return &spool.Error{Op: "list", Class: spool.ErrCanceled, Err: ctx.Err()}
	}
	s, err := source.OpenStream(t.Context(), []string{bucketURL + "p/"}, source.Options{Remote: b})
	require.NoError(t, err)
	assert.True(t, s.Remote())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	n := 0
	for item, err := range s.Samples(ctx, 0) {
		if n++; n == 3 {
			require.ErrorIs(t, err, spool.ErrCanceled)
			break
		}
		require.NoError(t, err)
		assert.EqualValues(t, n-1, item.ID)
		if n == 2 {
			<-hangs
			cancel()
		}
	}
	assert.Equal(t, 3, n)
}

// A listing is only a limited number of names ahead of its consumer: millions of names need no more memory than
// thousands.
func TestStreamsKeepAFewNames(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		require.Less(t, source.StreamAhead, 10_000)
		e := &endless{}
		s, err := source.OpenStream(t.Context(), []string{bucketURL}, source.Options{Remote: e})
		require.NoError(t, err)
		taken := int64(0)
		for _, err := range s.Samples(t.Context(), 0) {
			require.NoError(t, err)
			taken++
			if taken%1000 == 1 {
				synctest.Wait() // until the listing waits for its consumer
				assert.LessOrEqual(t, e.given.Load(), taken+source.StreamAhead+1)
				assert.Greater(t, e.given.Load(), taken+source.StreamAhead-2, "it is ahead")
			}
			if taken == 20_000 {
				break
			}
		}
	})
}

// Samples can be listed again, without those before an index.
func TestStreamsFromANumberOn(t *testing.T) {
	b := remotely(t, "p/1.jpg", "p/2.jpg", "p/3.jpg")
	s, err := source.OpenStream(t.Context(), []string{bucketURL + "p/"}, source.Options{Remote: b})
	require.NoError(t, err)
	for from := range 5 {
		var got []string
		for item, err := range s.Samples(t.Context(), from) {
			require.NoError(t, err)
			assert.EqualValues(t, from+len(got), item.ID)
			got = append(got, strings.TrimPrefix(content(t, s, int(item.ID)), "the bytes of p/"))
			assert.Panics(t, func() { s.Item(int(item.ID)) }, "it was opened")
			if from > 0 {
				assert.Panics(t, func() { s.Item(0) })
			}
		}
		assert.Equal(t, []string{"1.jpg", "2.jpg", "3.jpg"}[min(from, 3):], append([]string{}, got...))
	}
}

// A folder that is linked into itself is not entered again. A folder that cannot be read ends the stream.
func TestStreamsOfOddFolders(t *testing.T) {
	b := remotely(t, "p/a/1.jpg", "p/b/2.jpg")
	require.NoError(t, os.Symlink(filepath.Join(b.folder, "p"), filepath.Join(b.folder, "p/a/loop")))
	items, _, err := streamed(t, source.Options{}, filepath.Join(b.folder, "p"))
	require.NoError(t, err)
	assert.Len(t, items, 2)
	if os.Geteuid() == 0 {
		need.Skip(t, need.System, "root may read everything")
	}
	require.NoError(t, os.Chmod(filepath.Join(b.folder, "p/b"), 0))
	defer os.Chmod(filepath.Join(b.folder, "p/b"), 0o755) //nolint:errcheck // or it could not be removed
	items, _, err = streamed(t, source.Options{}, filepath.Join(b.folder, "p"))
	require.ErrorIs(t, err, spool.ErrPermission)
	assert.Len(t, items, 1)
}

// endless is a bucket with infinitely many objects.
type endless struct {
	bucket
	given atomic.Int64
}

func (e *endless) Walk(ctx context.Context, _ string) iter.Seq2[source.Entry, error] {
	return func(yield func(source.Entry, error) bool) {
		for ctx.Err() == nil && yield(source.Entry{URL: fmt.Sprintf("%s%09d.jpg", bucketURL, e.given.Load())}, nil) {
			e.given.Add(1)
		}
	}
}
