package source_test

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/leaktest"
	"github.com/spoolmedia/spool/source"
)

func TestMain(m *testing.M) {
	leaktest.Main(m, leaktest.Count{Name: "open files", Now: openFiles})
}

// openFiles counts the open descriptors that have a path.
func openFiles() int64 {
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	n := int64(0)
	for _, fd := range fds {
		if path, err := os.Readlink("/proc/self/fd/" + fd.Name()); err == nil && filepath.IsAbs(path) {
			n++
		}
	}
	return n
}

// tree creates empty files with the given names in a new folder. The folder becomes the working directory, so that
// names are short. A name that ends in a slash is a folder.
func tree(t *testing.T, names ...string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for _, name := range names {
		if name[len(name)-1] == '/' {
			require.NoError(t, os.MkdirAll(name, 0o755))
			continue
		}
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, nil, 0o644))
	}
}

func link(t *testing.T, target, name string) {
	t.Helper()
	require.NoError(t, os.Symlink(target, name))
}

// itoa formats any integer.
func itoa[T int64 | uintptr](n T) string { return strconv.FormatInt(int64(n), 10) }

// names returns the names of all items.
func names(s source.Source) []string {
	list := []string{}
	for i := range s.Len() {
		list = append(list, s.Item(i).Name)
	}
	return list
}

func labels(s source.Source) []int64 {
	list := []int64{}
	for i := range s.Len() {
		list = append(list, s.Item(i).Label)
	}
	return list
}

// openPart returns the errors that were joined to err.
func openPart(err error) []error {
	if _, ok := err.(*spool.Error); ok { //nolint:errorlint // this very error, which unwraps to its class and cause
		return []error{err}
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	return []error{err}
}
