package source_test

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/need"
	"github.com/spoolmedia/spool/source"
)

var globTree = []string{
	"1.jpg", "2.jpg", "10.jpg", "a.png", "b.txt", ".hidden.jpg", "with space.jpg", "br[1].jpg", "@at.jpg", "é.jpg",
	"x/1.jpg", "x/y/1.jpg", "x/y/z/2.jpg", "x/.h/3.jpg", "xx/1.jpg", "xx/y/3.png", "x-y/4.jpg",
}

// TestGlobIsTheShells compares Glob with bash, whose globstar option enables **.
func TestGlobIsTheShells(t *testing.T) {
	bash := need.Command(t, "bash")
	tree(t, globTree...)
	link(t, "x", "link")
	link(t, "1.jpg", "link.jpg")
	for _, pattern := range []string{
		"*.jpg", "?.jpg", "1*", "[12].jpg", "[^1].jpg", "[a-b].*", ".*.jpg", "*.txt", "@*", `with\ space.j*`, `br\[*`,
		"x/*.jpg", "x*/1.jpg", "*/*.jpg", "*/*/*.jpg", "x/y/z/?.jpg", "./*.jpg", "x/../*.png", "x//*.jpg", "link/*.jpg",
		"l*/*.jpg",
		"**/*.jpg", "x/**/*.jpg", "**/y/*.*", "**/**/2.jpg", "x*/**/[13].*", "**/1.jpg", "x/**/y/**/2.jpg",
	} {
		t.Run(pattern, func(t *testing.T) {
			shell := exec.Command(bash, "-c", "shopt -s globstar; printf '%s\\n' "+pattern)
			shell.Env = []string{"LC_ALL=C.UTF-8"}
			out, err := shell.Output()
			require.NoError(t, err)
			want := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")

			s, err := source.Glob(t.Context(), pattern, source.Options{})
			require.NoError(t, err)
			assert.ElementsMatch(t, want, names(s))
			assert.IsIncreasing(t, names(s))
		})
	}
}

func TestGlobOfFolders(t *testing.T) {
	tree(t, "r/cat/1.jpg", "r/dog/2.jpg", "r/dog/notes.txt", "r/notes.txt", "r/plain/3.jpg")
	for pattern, want := range map[string][]string{
		"r/*":    {"r/cat/1.jpg", "r/dog/2.jpg", "r/notes.txt", "r/plain/3.jpg"}, // whatever the extension
		"r/*/":   {"r/cat/1.jpg", "r/dog/2.jpg", "r/plain/3.jpg"},
		"[r]":    {"r/cat/1.jpg", "r/dog/2.jpg", "r/plain/3.jpg"},
		"r/**":   {"r/cat/1.jpg", "r/dog/2.jpg", "r/dog/notes.txt", "r/notes.txt", "r/plain/3.jpg"},
		"**/c*t": {"r/cat/1.jpg"},
	} {
		s, err := source.Glob(t.Context(), pattern, source.Options{})
		require.NoError(t, err, pattern)
		assert.Equal(t, want, names(s), pattern)
	}
	s, err := source.Glob(t.Context(), "[r]", source.Options{})
	require.NoError(t, err)
	assert.Equal(t, []string{"cat", "dog", "plain"}, s.Classes())
}

func TestGlobAbsolute(t *testing.T) {
	tree(t, "a/1.jpg", "b/2.jpg")
	here, err := os.Getwd()
	require.NoError(t, err)
	s, err := source.Glob(t.Context(), here+"/*/*.jpg", source.Options{})
	require.NoError(t, err)
	assert.Equal(t, []string{here + "/a/1.jpg", here + "/b/2.jpg"}, names(s))
}

func TestGlobErrors(t *testing.T) {
	tree(t, "r/.hidden.jpg", "f")
	for pattern, class := range map[string]error{
		"*.jpg": spool.ErrNotFound, "nowhere/*": spool.ErrNotFound, "f/*": spool.ErrNotFound, "r/*": spool.ErrNotFound,
		"": spool.ErrNotFound, "nowhere": spool.ErrNotFound, "r/[": spool.ErrOptions, "[a/b]": spool.ErrOptions,
		"[/x": spool.ErrOptions,
	} {
		_, err := source.Glob(t.Context(), pattern, source.Options{})
		assert.ErrorIs(t, err, class, "%q", pattern)
	}
}

// TestGlobOfPipe: a named pipe is listed, and refused when it is opened, without waiting.
func TestGlobOfPipe(t *testing.T) {
	tree(t)
	require.NoError(t, syscall.Mkfifo("pipe.jpg", 0o644))
	s, err := source.Glob(t.Context(), "*.jpg", source.Options{})
	require.NoError(t, err)
	_, err = s.Open(t.Context(), 0)
	assert.ErrorIs(t, err, spool.ErrNotAFile)
}

func TestGlobCanceled(t *testing.T) {
	tree(t, globTree...)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, pattern := range []string{"*.jpg", "**/*.jpg"} {
		_, err := source.Glob(ctx, pattern, source.Options{})
		assert.ErrorIs(t, err, spool.ErrCanceled)
	}
}
