package source_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source"
)

func TestList(t *testing.T) {
	for _, c := range []struct {
		name, text string
		names      []string
		labels     []int64
	}{
		{"plain", "a.jpg\nb.jpg\n", []string{"a.jpg", "b.jpg"}, []int64{-1, -1}},
		{"no newline at the end", "a.jpg\nb.jpg", []string{"a.jpg", "b.jpg"}, []int64{-1, -1}},
		{"windows", "\uFEFFa.jpg\r\nb.jpg\t2\r\n", []string{"a.jpg", "b.jpg"}, []int64{-1, 2}},
		{"blank lines", "\n\n a.jpg\n \t \nb.jpg \n\n", []string{" a.jpg", "b.jpg "}, []int64{-1, -1}},
		{"no comments", "#a.jpg\n", []string{"#a.jpg"}, []int64{-1}},
		{"labels", "a.jpg\t5\nb.jpg\nc.jpg\t0\nd.jpg\t-1\n", []string{"a.jpg", "b.jpg", "c.jpg", "d.jpg"},
			[]int64{5, -1, 0, -1}},
		{"label later", "a.jpg\nb.jpg\nc.jpg\t7\n", []string{"a.jpg", "b.jpg", "c.jpg"}, []int64{-1, -1, 7}},
		{"tab in a name", "a\tb.jpg\t3\n", []string{"a\tb.jpg"}, []int64{3}},
		{"twice", "a.jpg\nb.jpg\na.jpg\n", []string{"a.jpg", "b.jpg", "a.jpg"}, []int64{-1, -1, -1}},
		{"not UTF-8", "\xff\xfe.jpg\n", []string{"\xff\xfe.jpg"}, []int64{-1}},
		{"absolute", "/a/b.jpg\n", []string{"/a/b.jpg"}, []int64{-1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree(t)
			require.NoError(t, os.WriteFile("list", []byte(c.text), 0o644))
			s, err := source.List(t.Context(), "list")
			require.NoError(t, err)
			assert.Equal(t, c.names, names(s))
			assert.Equal(t, c.labels, labels(s))
			assert.Nil(t, s.Classes())
		})
	}
}

func TestListErrors(t *testing.T) {
	for _, c := range []struct {
		name, text string
		class      spool.Class
		texts      []string
	}{
		{"empty", "", spool.ErrEmpty, []string{"no path in this list"}},
		{"blank", "\n \n", spool.ErrEmpty, []string{"no path in this list"}},
		{"labels", "a\tx\nb\t1\n\nc\t\nd\t-2\ne\t1.5\n", spool.ErrCorrupt, []string{
			`line 1: the label "x" is no integer from 0 up`, `line 4: the label "" is no integer from 0 up`,
			`line 5: the label "-2" is no integer from 0 up`, `line 6: the label "1.5" is no integer from 0 up`}},
		{"label only", "\t5\n", spool.ErrCorrupt, []string{"line 1: no path before the label"}},
		{"binary", "a\nb\x00c\n", spool.ErrCorrupt, []string{"line 2: a zero byte: is this a list of paths?"}},
		{"long line", "a\n" + strings.Repeat("x", 1<<16) + "\n", spool.ErrCorrupt,
			[]string{"line 2: more than 65536 bytes: is this a list of paths?"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree(t)
			require.NoError(t, os.WriteFile("list", []byte(c.text), 0o644))
			_, err := source.List(t.Context(), "list")
			var texts []string
			for _, err := range openPart(err) {
				var e *spool.Error
				require.ErrorAs(t, err, &e)
				assert.Equal(t, c.class, e.Class)
				assert.Equal(t, "list", e.File)
				texts = append(texts, e.Text)
			}
			assert.Equal(t, c.texts, texts)
		})
	}
}

// TestListReportsNoFloods: a list with a bad label in every line gives an error of bounded length.
func TestListReportsNoFloods(t *testing.T) {
	tree(t)
	require.NoError(t, os.WriteFile("list", []byte(strings.Repeat("a.jpg\tcat\n", 1000)), 0o644))
	_, err := source.List(t.Context(), "list")
	assert.Len(t, openPart(err), 21)
	assert.ErrorContains(t, err, "and 980 more problems")
}

func TestListRelativePaths(t *testing.T) {
	tree(t, "here/1.jpg", "data/1.jpg", "data/2.jpg", "data/sub/3.jpg", "both.jpg", "data/both.jpg")
	for text, want := range map[string][]string{
		// in the list's folder
		"2.jpg\nsub/3.jpg\n/abs.jpg\nmissing.jpg\n": {"data/2.jpg", "data/sub/3.jpg", "/abs.jpg", "data/missing.jpg"},
		// the first path decides
		"here/1.jpg\n2.jpg\n": {"here/1.jpg", "2.jpg"},
		// the working directory takes precedence
		"both.jpg\n2.jpg\n":    {"both.jpg", "2.jpg"},
		"missing.jpg\n2.jpg\n": {"missing.jpg", "2.jpg"},
		"/abs.jpg\n2.jpg\n":    {"/abs.jpg", "data/2.jpg"},
	} {
		require.NoError(t, os.WriteFile("data/list", []byte(text), 0o644))
		s, err := source.List(t.Context(), "data/list")
		require.NoError(t, err)
		assert.Equal(t, want, names(s))
	}
}

func TestListFromPipe(t *testing.T) {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	_, err = w.WriteString("a.jpg\nb.jpg\t1\n")
	require.NoError(t, err)
	require.NoError(t, w.Close())
	s, err := source.List(t.Context(), filepath.Join("/dev/fd", itoa(r.Fd())))
	require.NoError(t, err)
	assert.Equal(t, []string{"a.jpg", "b.jpg"}, names(s))
}

// TestListFromSilentPipe: a pipe whose writer is silent does not block a cancelled caller.
func TestListFromSilentPipe(t *testing.T) {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	defer w.Close()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := source.List(ctx, filepath.Join("/dev/fd", itoa(r.Fd())))
		done <- err
	}()
	cancel()
	assert.ErrorIs(t, <-done, spool.ErrCanceled)
}

func TestListThatIsNone(t *testing.T) {
	tree(t, "folder/")
	socket, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	require.NoError(t, err)
	defer syscall.Close(socket)
	require.NoError(t, syscall.Bind(socket, &syscall.SockaddrUnix{Name: "socket"}))
	for name, class := range map[string]spool.Class{
		"nowhere": spool.ErrNotFound, "folder": spool.ErrNotAFile, "/dev/null": spool.ErrNotAFile,
		"socket": spool.ErrNotAFile, "": spool.ErrNotFound,
	} {
		_, err := source.List(t.Context(), name)
		assert.Equal(t, class, spool.ClassOf(err), "%s: %v", name, err)
	}
}
