package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
	"github.com/spoolmedia/spool/cmd/spool/internal/inject"
)

// TestStoppedProcesses has the command or its helper stopped at a call, as by Ctrl-Z or a debugger, and go on after a
// second, with -fault-all after a minute. Nothing is lost.
func TestStoppedProcesses(t *testing.T) {
	withoutRace(t)
	pause := time.Second
	if *faultAll {
		pause = time.Minute
	}
	server := httptest.NewServer(http.FileServer(http.Dir(clitest.Media)))
	defer server.Close()
	folder := t.TempDir()
	var list strings.Builder
	for _, name := range []string{"animal/00.jpg", "animal/01.jpg", "plant/00.jpg", "space/00.jpg"} {
		list.WriteString(server.URL + "/photos/" + name + "\n")
	}
	require.NoError(t, os.WriteFile(filepath.Join(folder, "list"), []byte(list.String()), 0o600))
	for _, test := range []struct {
		name string
		args []string
	}{
		{"remote", nil},
		{"remote isolated", []string{"--isolate", "all"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := &operation{name: test.name, args: clitest.With([]string{"run", "images", "@" + folder + "/list", "--size", "32",
				"--batch", "1", "--digest"}, test.args...)}
			plain := &operation{name: test.name, args: o.args[:8]}
			all := 0
			whole := plain.run(t, plain.faulty(t, folder), nil)
			require.Zero(t, whole.code, whole.stderr)
			require.Len(t, strings.Split(whole.stdout, "\n"), 4)
			o.run(t, o.faulty(t, folder), func(*inject.Call) (out inject.Outcome) { all++; return out })
			for part := 1; part <= 4; part++ {
				if (testing.Short() || *faultAll) && part != 3 {
					continue
				}
				seen, n := 0, all*part/5
				got := o.run(t, o.faulty(t, folder), func(c *inject.Call) (out inject.Outcome) {
					if seen++; seen != n {
						return out
					}
					process := c.Process()
					assert.NoError(t, unix.Kill(process, unix.SIGSTOP))
					time.AfterFunc(pause, func() { _ = unix.Kill(process, unix.SIGCONT) })
					return out
				})
				assert.Equal(t, whole.code, got.code, "call %d\n%s", n, got.stderr)
				assert.Equal(t, whole.stdout, got.stdout, "call %d", n)
				assert.NotContains(t, got.stderr, "spool: ", "call %d", n) // a long run shows its progress
			}
		})
	}
}
