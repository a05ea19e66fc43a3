package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
	"github.com/spoolmedia/spool/internal/need"
	"github.com/spoolmedia/spool/internal/short"
)

// unprivileged runs the command as a user other than root, so that permissions apply. The user can reach folder.
func unprivileged(t testing.TB, folder, binary string, args ...string) clitest.Outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	c := exec.CommandContext(t.Context(), binary, args...)
	c.Env = append(os.Environ(), asCommand+"=yes")
	c.Dir, c.Stdout, c.Stderr = folder, &stdout, &stderr
	if os.Geteuid() == 0 {
		const nobody = 65534
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	if err := c.Start(); err != nil {
		need.Skip(t, need.System, "root's rights cannot be dropped: %v", err)
	}
	code := exitCode(t, c)
	return clitest.Outcome{Code: code, Stdout: stdout.String(), Stderr: stderr.String()}
}

// copyFile copies a file, which all users may then execute.
func copyFile(t testing.TB, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	require.NoError(t, err)
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	require.NoError(t, err)
	_, err = io.Copy(out, in)
	require.NoError(t, err)
	require.NoError(t, errors.Join(out.Chmod(0o755), out.Close())) // independent of the umask
}

func TestPermission(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.Chmod(filepath.Dir(folder), 0o755)) // another user must be able to enter
	self, err := os.Executable()
	require.NoError(t, err)
	binary := filepath.Join(folder, "spool")
	copyFile(t, self, binary)
	for _, name := range []string{"", "images", "images/shut", "mixed"} {
		require.NoError(t, os.MkdirAll(filepath.Join(folder, name), 0o755))
		require.NoError(t, os.Chmod(filepath.Join(folder, name), 0o755))
	}
	for _, name := range []string{"mixed/0.jpg", "mixed/1.jpg"} {
		copyFile(t, clitest.Photo, filepath.Join(folder, name))
	}
	require.NoError(t, os.Chmod(filepath.Join(folder, "mixed/1.jpg"), 0))
	require.NoError(t, os.Chmod(filepath.Join(folder, "images/shut"), 0))
	run := func(args ...string) clitest.Outcome { return unprivileged(t, folder, binary, args...) }

	if o := run("--version"); o.Code != cli.ExitDone {
		need.Skip(t, need.System, "another user cannot run the command: %s", o.Stderr)
	}
	const denied = "spool: mixed/1.jpg: permission: permission denied\n"
	for _, args := range short.Some([][]string{{"probe", "mixed/1.jpg"}, {"decode", "image", "mixed/1.jpg", "--out", "-"},
		{"run", "images", "mixed/1.jpg"}, {"bench", "images", "--files", "mixed/1.jpg"}}, 4) {
		assert.Equal(t, clitest.Outcome{Code: cli.ExitInput, Stderr: denied}, run(args...), args)
	}
	assert.Equal(t, clitest.Outcome{Code: cli.ExitInput, Stderr: "spool: images/shut: permission: permission denied\n"},
		run("run", "images", "images"))
	o := run("run", "images", "mixed", "--json")
	assert.Equal(t, clitest.Outcome{Code: cli.ExitDone, Stdout: o.Stdout, Stderr: denied}, o)
	assert.Equal(t, 1, clitest.Summarized(t, o.Stdout).Samples)

	require.NoError(t, os.Chmod(folder, 0o555)) // it belongs to this user if tests do not run as root
	t.Cleanup(func() { require.NoError(t, os.Chmod(folder, 0o755)) })
	for _, args := range short.Some([][]string{{"decode", "image", "mixed/0.jpg", "--out", "x"},
		{"run", "images", "mixed/0.jpg", "--ledger", "x"}, {"run", "images", "mixed/0.jpg", "--save-first", "x"},
		{"run", "images", "mixed/0.jpg", "--state-out", "x"}}, 3) {
		assert.Equal(t, clitest.Outcome{Code: cli.ExitInput, Stderr: "spool: x: permission: permission denied\n"},
			run(args...), args)
	}
}
