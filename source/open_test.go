package source_test

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source"
)

func TestOpenMixesArguments(t *testing.T) {
	tree(t, "one/dog/1.jpg", "one/cat/2.jpg", "two/cat/3.jpg", "two/bee/4.jpg", "flat/5.jpg", "6.dat", "7.raw", "g/8.jpg",
		"g/9.jpg")
	require.NoError(t, os.WriteFile("list", []byte("6.dat\t12\n7.raw\n"), 0o644))
	s, err := source.Open(t.Context(), []string{"7.raw", "6.dat", "two/", "@list", "one", "g/*.jpg", "flat", "7.raw"},
		source.Options{})
	require.NoError(t, err)
	assert.Equal(t, []string{"bee", "cat", "dog"}, s.Classes())
	assert.Equal(t, []string{"7.raw", "6.dat", "two/bee/4.jpg", "two/cat/3.jpg", "6.dat", "7.raw", "one/cat/2.jpg",
		"one/dog/1.jpg",
		"g/8.jpg", "g/9.jpg", "flat/5.jpg", "7.raw"}, names(s))
	assert.Equal(t, []int64{-1, -1, 0, 1, 12, -1, 1, 2, -1, -1, -1, -1}, labels(s))
	for i := range s.Len() {
		assert.EqualValues(t, i, s.Item(i).ID)
		o, err := s.Open(t.Context(), i)
		require.NoError(t, err)
		require.NoError(t, o.Close())
	}
}

func TestOpenTakesNamesLiterally(t *testing.T) {
	tree(t, "a[1].jpg", "a1.jpg", "*", "@at")
	for arg, want := range map[string]string{"a[1].jpg": "a[1].jpg", "*": "*", "./@at": "./@at", "a[1-2].jpg": "a1.jpg"} {
		s, err := source.Open(t.Context(), []string{arg}, source.Options{})
		require.NoError(t, err)
		assert.Equal(t, []string{want}, names(s))
	}
}

func TestOpenReportsAllProblems(t *testing.T) {
	tree(t, "good.jpg", "empty/", "r/a/1.jpg", "r/b/")
	require.NoError(t, syscall.Mkfifo("pipe", 0o644))
	require.NoError(t, os.WriteFile("list", []byte("x\ty\n"), 0o644))
	s, err := source.Open(t.Context(),
		[]string{"nowhere", "good.jpg", "empty", "pipe", "/dev/null", "*.png", "@list", "@nolist", "r", "good.jpg/x", ""},
		source.Options{})
	assert.Nil(t, s)
	want := []struct {
		file  string
		class spool.Class
	}{
		{"nowhere", spool.ErrNotFound}, {"empty", spool.ErrEmpty}, {"pipe", spool.ErrNotAFile},
		{"/dev/null", spool.ErrNotAFile},
		{"*.png", spool.ErrNotFound}, {"list", spool.ErrCorrupt}, {"nolist", spool.ErrNotFound}, {"r", spool.ErrEmpty},
		{"good.jpg/x", spool.ErrNotFound}, {"", spool.ErrNotFound},
	}
	got := openPart(err)
	require.Len(t, got, len(want), "%v", err)
	for i, w := range want {
		var e *spool.Error
		require.ErrorAs(t, got[i], &e)
		assert.Equal(t, w.file, e.File)
		assert.Equal(t, w.class, e.Class, w.file)
	}
}

func TestOpenNothing(t *testing.T) {
	_, err := source.Open(t.Context(), nil, source.Options{})
	assert.ErrorIs(t, err, spool.ErrOptions)
}

func TestOpenCanceled(t *testing.T) {
	tree(t, "a.jpg")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := source.Open(ctx, []string{"a.jpg"}, source.Options{})
	assert.ErrorIs(t, err, spool.ErrCanceled)
}

// TestOpenOneProblem: a single problem is returned as it is, not in a list of one.
func TestOpenOneProblem(t *testing.T) {
	tree(t)
	_, err := source.Open(t.Context(), []string{"nowhere.jpg"}, source.Options{})
	assert.EqualError(t, err, "list nowhere.jpg: not-found: no such file or directory")
	assert.Equal(t, []error{err}, openPart(err))
}

func TestCounts(t *testing.T) {
	tree(t, "a.jpg", "b.jpg", "c/d.jpg", "c/e.jpg", "f.txt")
	write(t, "list", "a.jpg\nb.jpg\nc/d.jpg\n")
	s, err := source.Open(t.Context(), []string{"b.jpg", "a.jpg", "c", "*.jpg", "@list", "a.jpg"}, source.Options{})
	require.NoError(t, err)
	assert.Equal(t, []int{1, 1, 2, 2, 3, 1}, s.Counts())
	assert.Equal(t, []string{"b.jpg", "a.jpg", "c/d.jpg", "c/e.jpg", "a.jpg", "b.jpg", "a.jpg", "b.jpg", "c/d.jpg",
		"a.jpg"}, names(s))
	assert.Nil(t, source.Files("a.jpg").Counts())
}

// A file that is named has the label that Options.Labels gives it, and nothing else can have one.
func TestLabelsOfFiles(t *testing.T) {
	dir := t.TempDir()
	names := []string{filepath.Join(dir, "a.jpg"), filepath.Join(dir, "b{1}.jpg"), filepath.Join(dir, "c")}
	for _, name := range names {
		require.NoError(t, os.WriteFile(name, []byte("x"), 0o600))
	}
	l, err := source.Open(t.Context(), names, source.Options{Labels: []int64{7, -1, 0}})
	require.NoError(t, err)
	for i, want := range []int64{7, -1, 0} {
		assert.Equal(t, want, l.Item(i).Label)
		assert.Equal(t, names[i], l.Item(i).Name)
	}
	l, err = source.Open(t.Context(), names, source.Options{})
	require.NoError(t, err)
	assert.EqualValues(t, -1, l.Item(0).Label)

	list := filepath.Join(dir, "list")
	require.NoError(t, os.WriteFile(list, []byte(names[0]+"\n"), 0o600))
	for _, arg := range []string{dir, "@" + list, filepath.Join(dir, "{a,b{1}}.jpg")} {
		_, err = source.Open(t.Context(), []string{names[0], arg}, source.Options{Labels: []int64{1, 2}})
		require.ErrorIs(t, err, spool.ErrUnsupported, arg)
		assert.EqualError(t, err, "list "+arg+": unsupported: is no single file, so it cannot have a label of its own")
	}
	refused := func(text string, open func(o source.Options) error) {
		t.Helper()
		err := open(source.Options{Labels: []int64{1, 2}})
		require.ErrorIs(t, err, spool.ErrOptions)
		require.ErrorContains(t, err, text)
	}
	refused("Labels: there are 2 for 3 sources: give one for each", func(o source.Options) error {
		_, err := source.Open(t.Context(), names, o)
		return err
	})
	refused("a stream", func(o source.Options) error {
		_, err := source.OpenStream(t.Context(), names[:2], o)
		return err
	})
	refused("records have their labels", func(o source.Options) error {
		_, err := source.OpenRecords(t.Context(), names[:2], []source.Input{{Name: "path"}}, o)
		return err
	})
	_, err = source.Open(t.Context(), names[:1], source.Options{Labels: []int64{-2}})
	require.ErrorContains(t, err, "Labels -2: must be at least -1")
}
