package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
	"github.com/spoolmedia/spool/internal/timing"
)

// soon is how long an interrupted command may take.
const soon = time.Second

// endless is a run that would go on for hours.
var endless = []string{"run", "images", clitest.Media + "/photos", "--epochs", "1000000", "--size", "32", "--batch", "8"}

// exitCode is how a process ended: its code, or minus the signal.
func exitCode(t testing.TB, c *exec.Cmd) int {
	t.Helper()
	_ = c.Wait() // the state says more
	require.NotNil(t, c.ProcessState)
	if status := c.ProcessState.Sys().(syscall.WaitStatus); status.Signaled() {
		return -int(status.Signal())
	}
	return c.ProcessState.ExitCode()
}

// A signal stops a run within a second: it says what was done, and that is what was printed before.
func TestSignals(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			var stderr bytes.Buffer
			c := process(t, append(endless, "--digest", "--json")...)
			c.Stderr = &stderr
			stdout, err := c.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, c.Start())
			lines := bufio.NewReader(stdout)
			_, err = lines.ReadString('\n')
			require.NoError(t, err)
			begin := time.Now()
			require.NoError(t, c.Process.Signal(signal))
			rest, err := io.ReadAll(lines)
			require.NoError(t, err)
			assert.Equal(t, cli.ExitInterrupted, exitCode(t, c))
			timing.Within(t, time.Since(begin), soon, "an interrupt")
			assert.Equal(t, "spool: interrupted\n", stderr.String())
			s := clitest.Summarized(t, string(rest))
			assert.Equal(t, len(clitest.Lines(string(rest))), s.Batches, "a digest each; the first was read before, the summary is one more")
			assert.NotEmpty(t, s.Verdict)
		})
	}
}

// interrupter cancels when it is written to.
type interrupter struct {
	bytes.Buffer
	cancel func()
	writes int // before it does
}

func (w *interrupter) Write(p []byte) (int, error) {
	if w.writes--; w.writes == 0 {
		w.cancel()
	}
	return w.Buffer.Write(p)
}

// Whenever it is interrupted, a run gives everything back: TestMain looks for what is left behind.
func TestInterruptedRunLeavesNothing(t *testing.T) {
	for writes := 1; writes <= 16; writes++ {
		for _, workers := range []string{"1", "64"} {
			ctx, cancel := context.WithCancel(t.Context())
			stdout := &interrupter{cancel: cancel, writes: writes}
			var stderr bytes.Buffer
			code := tool.Execute(ctx, append(endless, "--digest", "--workers", workers), stdout, &stderr)
			assert.Equal(t, cli.ExitInterrupted, code)
			assert.Equal(t, "spool: interrupted\n", stderr.String())
			assert.Contains(t, stdout.String(), "\ninterrupted after ")
		}
	}
}

// So do runs of video and sound, also where files come in parts, and measurements.
func TestInterruptedMediaLeaveNothing(t *testing.T) {
	videos, sounds := clitest.SomeVideos(t), clitest.SomeSounds(t)
	for _, args := range [][]string{
		{"run", "video", videos, "--frames", "4", "--size", "16", "--batch", "2", "--epochs", "1000000", "--digest"},
		{"run", "audio", sounds, "--duration", "0.1", "--batch", "2", "--epochs", "1000000", "--digest"},
		{"run", "audio", sounds, "--epochs", "1000000", "--digest"},
		{"bench", "video", "--files", videos + "/*/*", "--repeat", "1000000"},
		{"bench", "videofull", "--files", videos + "/*/*", "--repeat", "1000000"},
		{"bench", "audio", "--files", sounds + "/*/*", "--repeat", "1000000"},
	} {
		for _, workers := range []string{"1", "16"} {
			ctx, cancel := context.WithCancel(t.Context())
			stdout := &interrupter{cancel: cancel, writes: 5}
			if args[0] == "bench" { // which says nothing before its end
				time.AfterFunc(100*time.Millisecond, cancel)
			}
			var stderr bytes.Buffer
			begin := time.Now()
			code := tool.Execute(ctx, append(args, "--workers", workers), stdout, &stderr)
			timing.Within(t, time.Since(begin), 20*soon, "loading something, and an interrupt")
			assert.Equal(t, cli.ExitInterrupted, code, args)
			assert.Equal(t, "spool: interrupted\n", stderr.String(), args)
			cancel()
		}
	}
}

// The video of the first batch is there as a whole or not at all, whenever a run is interrupted.
func TestInterruptedReel(t *testing.T) {
	videos := clitest.SomeVideos(t)
	for writes := 1; writes <= 4; writes++ {
		folder := t.TempDir()
		reel := filepath.Join(folder, "first.mp4")
		ctx, cancel := context.WithCancel(t.Context())
		stdout := &interrupter{cancel: cancel, writes: writes}
		code := tool.Execute(ctx, []string{"run", "video", videos, "--frames", "32", "--size", "192", "--batch", "4", "--workers", "2", "--epochs", "1000000", "--digest", "--save-first", reel},
			stdout, &bytes.Buffer{})
		cancel()
		assert.Equal(t, cli.ExitInterrupted, code)
		entries, err := os.ReadDir(folder)
		require.NoError(t, err)
		if len(entries) > 0 {
			require.Len(t, entries, 1)
			assert.Contains(t, tool.Done(t, "probe", reel), "h264")
		}
	}
}

// Each command ends at once when it is interrupted before it begins.
func TestInterruptedCommands(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	out := filepath.Join(t.TempDir(), "out.npy")
	for _, args := range [][]string{{"probe", clitest.Photo}, {"decode", "image", clitest.Photo, "--out", out}, {"run", "images", clitest.Media + "/photos"}, {"bench", "images", "--files", clitest.Photo},
		{"decode", "video", clitest.Clip, "--out", out}, {"decode", "audio", clitest.Song, "--out", out}, {"index", clitest.Clip}, {"run", "video", clitest.Clip}, {"run", "audio", clitest.Song},
		{"bench", "videofull", "--files", clitest.Clip}} {
		var stdout, stderr bytes.Buffer
		assert.Equal(t, cli.ExitInterrupted, tool.Execute(ctx, args, &stdout, &stderr), args)
		assert.Equal(t, "spool: interrupted\n", stderr.String(), args)
	}
	assert.NoFileExists(t, out)
}

// pipe makes a named pipe.
func namedPipe(t testing.TB) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(name, 0o600))
	return name
}

// A run that is still listing can be interrupted: here the list comes from a pipe that nobody closes.
func TestInterruptedListing(t *testing.T) {
	list := namedPipe(t)
	var stdout, stderr bytes.Buffer
	c := process(t, "run", "images", "@"+list)
	c.Stdout, c.Stderr = &stdout, &stderr
	require.NoError(t, c.Start())
	writer, err := os.OpenFile(list, os.O_WRONLY, 0) // waits for the reader
	require.NoError(t, err)
	defer writer.Close()
	begin := time.Now()
	require.NoError(t, c.Process.Signal(os.Interrupt))
	assert.Equal(t, cli.ExitInterrupted, exitCode(t, c))
	timing.Within(t, time.Since(begin), soon, "an interrupt")
	assert.Equal(t, "spool: interrupted\n", stderr.String())
	assert.Empty(t, stdout.String())
}

// What hangs in the system, such as opening a pipe that nobody reads, is left behind.
func TestInterruptedWhileTheSystemHangs(t *testing.T) {
	ledger := filepath.Join(t.TempDir(), "ledger")
	var stderr bytes.Buffer
	c := process(t, "run", "images", clitest.Photo, "--ledger", ledger, "--save-first", namedPipe(t))
	c.Stderr = &stderr
	require.NoError(t, c.Start())
	require.Eventually(t, func() bool { // the ledger is made first
		_, err := os.Stat(ledger)
		return err == nil
	}, time.Minute, time.Millisecond)
	begin := time.Now()
	require.NoError(t, c.Process.Signal(os.Interrupt))
	assert.Equal(t, cli.ExitInterrupted, exitCode(t, c))
	timing.Within(t, time.Since(begin), soon, "an interrupt")
	assert.Equal(t, "spool: interrupted\n", stderr.String())
}

// A reader that has seen enough ends the command without a word, as head does.
func TestBrokenPipe(t *testing.T) {
	for _, args := range [][]string{append(endless, "--digest"), append([]string{"probe"}, manyPhotos(t)...)} {
		var stderr bytes.Buffer
		c := process(t, args...)
		c.Stderr = &stderr
		stdout, err := c.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, c.Start())
		_, err = bufio.NewReaderSize(stdout, 16).ReadByte()
		require.NoError(t, err)
		require.NoError(t, stdout.Close())
		assert.NotEqual(t, cli.ExitInternal, exitCode(t, c))
		assert.Empty(t, stderr.String())
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) {
	return 0, &os.PathError{Op: "write", Path: "pipe", Err: syscall.EPIPE}
}

// The same where the system does not end the process for it.
func TestBrokenPipeWithoutSignal(t *testing.T) {
	for _, args := range [][]string{append(endless, "--digest"), {"probe", clitest.Photo}, {"decode", "image", clitest.Photo, "--out", "-"}, {"doctor"}} {
		var stderr strings.Builder
		assert.Equal(t, cli.ExitInput, tool.Execute(t.Context(), args, broken{}, &stderr), args)
		assert.Empty(t, stderr.String(), args)
	}
}

// manyPhotos are more names than fit in a pipe's buffer as lines of probe.
func manyPhotos(t testing.TB) (names []string) {
	t.Helper()
	files, err := filepath.Glob(clitest.Media + "/photos/*/*.jpg")
	require.NoError(t, err)
	for len(names) < 2000 {
		names = append(names, files...)
	}
	return names
}

// A crash of a run has the code of an internal error, never that of wrong usage.
func TestCrashes(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGABRT, syscall.SIGSEGV, syscall.SIGQUIT} {
		t.Run(signal.String(), func(t *testing.T) {
			var stderr bytes.Buffer
			c := process(t, append(endless, "--digest")...)
			c.Stderr = &stderr
			stdout, err := c.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, c.Start())
			_, err = bufio.NewReader(stdout).ReadString('\n')
			require.NoError(t, err)
			require.NoError(t, c.Process.Signal(signal))
			assert.Equal(t, cli.ExitInternal, exitCode(t, c))
			assert.True(t, strings.HasSuffix(stderr.String(), "\nspool: internal: the process crashed\n"), stderr.String())
		})
	}
}
