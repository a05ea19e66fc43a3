package source_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/need"
	"github.com/spoolmedia/spool/source"
)

// unprivileged runs f without root's permission to read everything: on Linux a thread whose file system user is not
// root loses it (capabilities(7)). The thread is not used again.
func unprivileged(t *testing.T, f func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		f()
		return
	}
	const nobody = 65534
	done := make(chan bool)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		defer close(done)
		if err := syscall.Setfsuid(nobody); err != nil {
			return
		}
		if _, err := os.ReadFile("probe"); err == nil {
			return // some sandboxes let root read nevertheless
		}
		if _, err := os.ReadFile("good.jpg"); err != nil {
			return // only its owner may enter a parent folder
		}
		f()
		done <- true
	}()
	if !<-done {
		need.Skip(t, need.System, "root's rights cannot be dropped")
	}
}

// forbidden creates a tree with a file and folders without read permission, in a folder that all users may enter.
func forbidden(t *testing.T) {
	t.Helper()
	tree(t, "probe", "good.jpg", "secret.jpg", "r/open/1.jpg", "r/shut/2.jpg", "r/open/deep/3.jpg", "flat/4.jpg",
		"in/x/5.jpg")
	here, err := os.Getwd()
	require.NoError(t, err)
	require.NoError(t, os.Chmod(here, 0o755))
	require.NoError(t, os.Chmod(filepath.Dir(here), 0o755))
	require.NoError(t, filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Chmod(path, 0o755)) // independent of the umask
	}))
	for _, name := range []string{"probe", "secret.jpg", "r/shut", "r/open/deep", "flat", "in"} {
		require.NoError(t, os.Chmod(name, 0))
		t.Cleanup(func() { assert.NoError(t, os.Chmod(name, 0o755)) })
	}
}

func TestNoPermission(t *testing.T) {
	forbidden(t)
	for _, c := range []struct {
		args  []string
		files []string // that the errors name
	}{
		{[]string{"r"}, []string{"r/open/deep", "r/shut"}},
		{[]string{"flat"}, []string{"flat"}},
		{[]string{"in/x"}, []string{"in/x"}},
		{[]string{"in/x/5.jpg"}, []string{"in/x/5.jpg"}},
		{[]string{"flat/*.jpg"}, []string{"flat/*.jpg"}},
		{[]string{"fla*/*.jpg"}, []string{"flat"}},
		{[]string{"**/*.jpg"}, []string{"flat", "in", "r/open/deep", "r/shut"}},
		{[]string{"@probe", "good.jpg", "flat"}, []string{"probe", "flat"}},
	} {
		var err error
		unprivileged(t, func() { _, err = source.Open(t.Context(), c.args, source.Options{}) })
		var files []string
		for _, err := range openPart(err) {
			assert.ErrorIs(t, err, spool.ErrPermission)
			assert.NotErrorIs(t, err, spool.ErrEmpty)
			var e *spool.Error
			if assert.ErrorAs(t, err, &e) {
				files = append(files, e.File)
			}
		}
		assert.ElementsMatch(t, c.files, files, "%v", c.args)
	}
}

func TestNoPermissionToOpen(t *testing.T) {
	forbidden(t)
	s, err := source.Open(t.Context(), []string{"good.jpg", "secret.jpg"}, source.Options{})
	require.NoError(t, err, "reading is not tried when listing")
	unprivileged(t, func() {
		o, err := s.Open(t.Context(), 0)
		if assert.NoError(t, err) {
			assert.NoError(t, o.Close())
		}
		_, err = s.Open(t.Context(), 1)
		assert.EqualError(t, err, "open secret.jpg: permission: permission denied")
		assert.Equal(t, spool.ErrPermission, spool.ClassOf(err))
	})
}
