package inject_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/spoolmedia/spool/cmd/spool/internal/inject"
	"github.com/spoolmedia/spool/internal/leaktest"
	"github.com/spoolmedia/spool/internal/need"
)

func TestMain(m *testing.M) {
	inject.Main()
	leaktest.Main(m)
}

// copied is dd's copy of a text, which it reads and writes a block at a time.
func copied(t *testing.T, text string, decide func(*inject.Call) inject.Outcome) (got string, err error) {
	t.Helper()
	folder := t.TempDir()
	from, to := filepath.Join(folder, "from"), filepath.Join(folder, "to")
	require.NoError(t, os.WriteFile(from, []byte(text), 0o600))
	c := exec.CommandContext(t.Context(), need.Command(t, "dd"), "if="+from, "of="+to, "bs=1000", "status=none")
	err = inject.Run(c, []string{"openat", "read", "write", "pread64"}, func(c *inject.Call) inject.Outcome {
		if !strings.HasPrefix(c.Path, folder) {
			return inject.Outcome{}
		}
		return decide(c)
	})
	written, _ := os.ReadFile(to)
	return string(written), err
}

func TestRun(t *testing.T) {
	text := strings.Repeat("abcdefghijk", 300)
	var calls []string
	got, err := copied(t, text, func(c *inject.Call) inject.Outcome {
		calls = append(calls, c.Name+" "+filepath.Base(c.Path))
		assert.Equal(t, inject.Library, c.Origin, "dd calls the C library")
		return inject.Outcome{}
	})
	require.NoError(t, err)
	assert.Equal(t, text, got)
	assert.Equal(t, []string{"openat from", "openat to", "read from", "write to", "read from", "write to", "read from",
		"write to", "read from", "write to", "read from"}, calls)

	reads := 0
	got, err = copied(t, text, func(c *inject.Call) inject.Outcome {
		if c.Name != "read" {
			return inject.Outcome{}
		}
		if reads++; reads == 3 {
			return inject.Outcome{Err: unix.EIO}
		}
		return inject.Outcome{}
	})
	assert.Equal(t, text[:2000], got)
	assert.ErrorContains(t, err, "exit status 1")

	got, err = copied(t, text, func(c *inject.Call) inject.Outcome {
		switch c.Name {
		case "read":
			return inject.Outcome{Short: 7}
		case "write":
			return inject.Outcome{Short: 3}
		}
		return inject.Outcome{}
	})
	require.NoError(t, err)
	assert.Equal(t, text, got)

	_, err = copied(t, text, func(c *inject.Call) inject.Outcome {
		if c.Name == "write" {
			assert.NoError(t, unix.Kill(c.Process(), unix.SIGKILL))
		}
		return inject.Outcome{}
	})
	assert.ErrorContains(t, err, "signal: killed")
}

func TestAllocator(t *testing.T) {
	a, err := inject.NewAllocator(need.Command(t, "cc"), "testdata/malloc.c", t.TempDir())
	require.NoError(t, err)
	run := func() error {
		c := exec.CommandContext(t.Context(), need.Command(t, "sort"), "/dev/null")
		c.Env = append(os.Environ(), a.Environment()...)
		return c.Run()
	}
	a.Fail(0, false, false)
	require.NoError(t, run())
	all := a.Made()
	require.Positive(t, all)
	failures := 0
	for n := 1; n <= all; n++ {
		a.Fail(n, false, false)
		if run() != nil {
			failures++
		}
		failed, where := a.Failed()
		assert.Equal(t, 1, failed)
		assert.Contains(t, where, "sort")
	}
	assert.Positive(t, failures, "sort gives up")
	a.Fail(all+1, false, true)
	require.NoError(t, run())
}

func TestThreads(t *testing.T) {
	c := exec.CommandContext(t.Context(), need.Command(t, "sh"), "-c", "echo; kill -STOP $$")
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	_, err = out.Read(make([]byte, 1))
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		return strings.Contains(inject.Threads(os.Getpid()), "sh: T (stopped), in do_signal_stop")
	}, 10*time.Second, time.Millisecond, inject.Threads(os.Getpid()))
	require.NoError(t, c.Process.Kill())
	assert.ErrorContains(t, c.Wait(), "killed")
}
