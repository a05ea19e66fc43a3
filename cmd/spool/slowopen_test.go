package main

import (
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
	"github.com/spoolmedia/spool/internal/need"
	"github.com/spoolmedia/spool/internal/timing"
)

// A run in which each openat takes 2 ms longer, as on a network file system, gives the same batches at 0.9 of the
// throughput or more.
func TestSlowOpening(t *testing.T) {
	strace := need.Command(t, "strace")
	if out, err := exec.CommandContext(t.Context(), strace, "-qq", "-o", os.DevNull, "true").CombinedOutput(); err != nil {
		need.Skip(t, need.System, "no tracing: %v: %s", err, out)
	}
	epochs := "2"
	if timing.Checked() {
		epochs = "200"
	}
	traced := func(calls string) (digests []string, took time.Duration) {
		c := process(t, "run", "images", clitest.Media+"/photos", "--size", "224", "--epochs", epochs, "--digest", "--json")
		c.Args = append([]string{strace, "-f", "-qq", "--seccomp-bpf", "-o", os.DevNull, "-e", "trace=openat", "-e", calls},
			c.Args...)
		c.Path = strace
		out, err := c.Output()
		require.NoError(t, err)
		return clitest.Digests(string(out)), time.Duration(clitest.Summarized(t, string(out)).Wall * float64(time.Second))
	}
	want, plain := traced("signal=none")
	got, slow := traced("inject=openat:delay_enter=2000")
	require.NotEmpty(t, want)
	require.Equal(t, want, got)
	t.Logf("%.2f of the rate", plain.Seconds()/slow.Seconds())
	timing.Within(t, slow, plain*10/9, "with 2 ms for each openat, it")
}
