package helper_test

import (
	"os"
	"os/exec"
	"testing"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/helper"
	"github.com/spoolmedia/spool/internal/short"
)

// TestDenied runs this program in systems that deny a call that a helper's start needs.
func TestDenied(t *testing.T) {
	if call := os.Getenv("SPOOL_TEST_DENIED"); call != "" {
		denied(t, call)
		return
	}
	for _, call := range short.Some([]string{"socketpair", "memfd_create", "execve", "seccomp"}, 3) {
		t.Run(call, func(t *testing.T) {
			child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestDenied$", "-test.v")
			child.Env = append(os.Environ(), "SPOOL_TEST_DENIED="+call)
			output, err := child.CombinedOutput()
			require.NoError(t, err, string(output))
			assert.Contains(t, string(output), "denied: "+call)
		})
	}
}

func denied(t *testing.T, call string) {
	t.Helper()
	require.NoError(t, seccomp.LoadFilter(seccomp.Filter{NoNewPrivs: true, Flag: seccomp.FilterFlagTSync,
		Policy: seccomp.Policy{DefaultAction: seccomp.ActionAllow, Syscalls: []seccomp.SyscallGroup{
			{Action: seccomp.ActionErrno | seccomp.Action(unix.ENOSYS), Names: []string{call}}}}}))
	p := newPool(t)
	fence, err := p.Check(t.Context())
	if call == "seccomp" { // the helper runs without the filter, and says so
		require.NoError(t, err)
		assert.Contains(t, fence.Calls, "not implemented")
		assert.Empty(t, fence.Memory)
	} else {
		require.ErrorIs(t, err, helper.ErrNotStarted)
		require.ErrorIs(t, err, spool.ErrIO)
		require.ErrorContains(t, err, "function not implemented")
	}
	t.Log("denied:", call)
}
