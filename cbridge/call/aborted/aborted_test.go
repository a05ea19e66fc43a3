package aborted_test

import (
	"bytes"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	_ "github.com/spoolmedia/spool/cbridge/call/aborted"
	"github.com/spoolmedia/spool/cbridge/call/aborted/abortedtest"
	"github.com/spoolmedia/spool/internal/leaktest"
	"github.com/spoolmedia/spool/internal/timing"
)

// asCrash is the environment variable that makes this test binary crash. Its value names the crash.
const asCrash = "SPOOL_TEST_AS_CRASH"

func TestMain(m *testing.M) {
	if way := os.Getenv(asCrash); way != "" {
		signal.Notify(make(chan os.Signal, 1), syscall.SIGTERM) // starts a thread that blocks SIGQUIT
		abortedtest.Crashes[way]()
		os.Exit(0)
	}
	leaktest.Main(m)
}

// Each crash exits with the code of an internal error. It prints the runtime's report and our line, and leaves no core
// file.
func TestCrashes(t *testing.T) {
	binary, err := os.Executable()
	require.NoError(t, err)
	for way := range abortedtest.Crashes {
		t.Run(way, func(t *testing.T) {
			folder := t.TempDir()
			c := exec.Command("/bin/sh", "-c", `ulimit -c unlimited 2>/dev/null; exec "$0"`, binary)
			c.Dir = folder
			c.Env = append(os.Environ(), asCrash+"="+way, "ASAN_OPTIONS=handle_segv=0:handle_sigill=0")
			var stderr bytes.Buffer
			c.Stderr = &stderr
			begin := time.Now()
			_ = c.Run() // ProcessState has the exit code
			timing.Within(t, time.Since(begin), time.Second, "the crash")
			assert.Equal(t, 3, c.ProcessState.ExitCode(), c.ProcessState)
			assert.True(t, strings.HasSuffix(stderr.String(), "\nspool: internal: the process crashed\n"), stderr.String())
			assert.Contains(t, stderr.String(), "goroutine ")
			assert.NotContains(t, stderr.String(), "SIGQUIT", "the runtime waits for reports of other threads")
			left, err := os.ReadDir(folder)
			require.NoError(t, err)
			assert.Empty(t, left)
		})
	}
}
