//go:build !asan

package limits_test

import (
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"

	_ "github.com/spoolmedia/spool/cbridge/call/limits"
	"github.com/spoolmedia/spool/internal/leaktest"
	"github.com/spoolmedia/spool/internal/need"
)

// asStarted is the environment variable that makes this test binary end at once.
const asStarted = "SPOOL_TEST_STARTED"

func TestMain(m *testing.M) {
	if os.Getenv(asStarted) != "" {
		os.Exit(0)
	}
	leaktest.Main(m)
}

// Limits that are too small are refused with a line and exit code 2. The others are those of no limit.
func TestRefusals(t *testing.T) {
	for _, test := range []struct {
		limit, want string // the line, as a pattern
	}{
		{"--as=1000000000", `^spool: usage: the limit on address space \(ulimit -v\) is 953 MiB: .* needs \d{4,} MiB\n$`},
		{"--nproc=3", `^spool: usage: the limit on processes \(ulimit -u\) is 3, .* needs \d{2,3} more\n$`},
		{"--as=unlimited", `^$`},
		{"--nproc=4096", `^$`},
		{"--cpu=1000", `^$`},
	} {
		t.Run(test.limit, func(t *testing.T) {
			c := exec.CommandContext(t.Context(), need.Command(t, "prlimit"), test.limit, "/proc/self/fd/3")
			self, err := os.Open("/proc/self/exe")
			assert.NoError(t, err)
			defer self.Close()
			c.ExtraFiles = []*os.File{self} // another user may not reach the file's folder
			c.Env = append(os.Environ(), asStarted+"=yes")
			if os.Geteuid() == 0 { // to which the limit on processes does not apply
				c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 54321, Gid: 54321}}
			}
			said, _ := c.CombinedOutput()
			assert.Regexp(t, test.want, string(said))
			code := 0
			if test.want != "^$" {
				code = 2
			}
			assert.Equal(t, code, c.ProcessState.ExitCode())
		})
	}
}
