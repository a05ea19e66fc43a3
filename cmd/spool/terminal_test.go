package main

import (
	"bytes"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
	"github.com/spoolmedia/spool/internal/need"
	"github.com/spoolmedia/spool/internal/short"
)

// terminal opens a pseudo-terminal of 40 columns: screen is what a person sees, and tty is where the command writes.
func terminal(t testing.TB) (screen, tty *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		need.Skip(t, need.System, "no pseudo-terminals: %v", err)
	}
	fd := int(screen.Fd())
	require.NoError(t, unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	require.NoError(t, err)
	tty, err = os.OpenFile("/dev/pts/"+strconv.Itoa(number), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	require.NoError(t, unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 10, Col: 40}))
	return screen, tty
}

// A terminal shows one line with throughput and time left, which is overwritten, and removed at the end. Lines for bad
// files are above it.
func TestTerminal(t *testing.T) {
	screen, tty := terminal(t)
	defer screen.Close()
	epochs := short.Of("12", "3")
	var stdout bytes.Buffer
	c := process(t, "run", "images", clitest.Media+"/hard", "--epochs", epochs, "--batch", "16")
	c.Stdout, c.Stderr = &stdout, tty
	require.NoError(t, c.Start())
	require.NoError(t, tty.Close())
	seen, _ := io.ReadAll(screen) // ends with EIO after the last writer has closed
	require.Zero(t, exitCode(t, c))
	text := string(seen)

	const wipe = "\r\x1b[K"
	statuses, told := 0, 0
	for piece := range strings.SplitSeq(text, wipe) {
		for line := range strings.SplitSeq(strings.TrimSuffix(piece, "\r\n"), "\r\n") {
			switch {
			case strings.HasPrefix(line, "spool: "):
				told++
			case line != "":
				statuses++
				assert.Regexp(t, `^\d+/\d+ samples, \d+ failed, .*`, line)
				assert.Less(t, len(line), 40, "fits the terminal")
			}
		}
	}
	assert.Positive(t, statuses)
	assert.Positive(t, told)
	assert.NotContains(t, text[strings.LastIndex(text, wipe):], "samples", "the status is gone at the end")
	assert.True(t, strings.HasPrefix(text, "spool: ") || strings.Contains(text[:40], "samples"),
		"nothing before the first batch")
	assert.Contains(t, stdout.String(), epochs+" epochs")
}
