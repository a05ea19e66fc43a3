package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
	"github.com/spoolmedia/spool/internal/short"
	"github.com/spoolmedia/spool/internal/timing"
)

// soon is how long an interrupted command may take.
const soon = time.Second

// endless is a run that would go on for hours.
var endless = []string{"run", "images", clitest.Media + "/photos", "--epochs", "1000000", "--size", "32", "--batch",
	"8"}

// exitCode returns the exit code of a process, or minus the signal.
func exitCode(t testing.TB, c *exec.Cmd) int {
	t.Helper()
	_ = c.Wait() // the state has more
	require.NotNil(t, c.ProcessState)
	if status := c.ProcessState.Sys().(syscall.WaitStatus); status.Signaled() {
		return -int(status.Signal())
	}
	return c.ProcessState.ExitCode()
}

// A signal stops a run within a second. Its summary agrees with what it printed before.
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
			assert.Equal(t, len(clitest.Lines(string(rest))), s.Batches,
				"a digest each; the first was read before, the summary is one more")
			assert.NotEmpty(t, s.Verdict)
		})
	}
}

// interrupter cancels after some writes.
type interrupter struct {
	bytes.Buffer
	cancel func()
	writes int // until it cancels
}

func (w *interrupter) Write(p []byte) (int, error) {
	if w.writes--; w.writes == 0 {
		w.cancel()
	}
	return w.Buffer.Write(p)
}

// A run that is interrupted after its first batch has a page too.
func TestInterruptedRunHasAPage(t *testing.T) {
	name := filepath.Join(t.TempDir(), "run.html")
	ctx, cancel := context.WithCancel(t.Context())
	stdout := &interrupter{cancel: cancel, writes: 3}
	var stderr bytes.Buffer
	code := tool.Execute(ctx, append(endless, clitest.Text, "--digest", "--report", name, "--ledger",
		filepath.Join(t.TempDir(), "ledger.jsonl")), stdout, &stderr)
	assert.Equal(t, cli.ExitInterrupted, code)
	assert.Equal(t, "spool: interrupted\n", stderr.String())
	page, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.Contains(t, string(page), "</html>")
	assert.Contains(t, string(page), `id="stages"`)
}

// A run releases everything whenever it is interrupted: TestMain looks for leaks.
func TestInterruptedRunLeavesNothing(t *testing.T) {
	for writes := 1; writes <= 16; writes += short.Of(1, 5) {
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

// So do runs of video and audio, also if files are delivered in parts, and benchmarks.
func TestInterruptedMediaLeaveNothing(t *testing.T) {
	videos, audios := clitest.SomeVideos(t), clitest.SomeAudio(t)
	for _, args := range [][]string{
		{"run", "video", videos, "--frames", "4", "--size", "16", "--batch", "2", "--epochs", "1000000", "--digest"},
		{"run", "audio", audios, "--duration", "0.1", "--batch", "2", "--epochs", "1000000", "--digest"},
		{"run", "audio", audios, "--epochs", "1000000", "--digest"},
		{"bench", "video", "--files", videos + "/*/*", "--repeat", "1000000"},
		{"bench", "videofull", "--files", videos + "/*/*", "--repeat", "1000000"},
		{"bench", "audio", "--files", audios + "/*/*", "--repeat", "1000000"},
	} {
		for _, workers := range short.Of([]string{"1", "16"}, []string{"16"}) {
			ctx, cancel := context.WithCancel(t.Context())
			stdout := &interrupter{cancel: cancel, writes: 5}
			if args[0] == "bench" { // prints nothing before its end
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

// The video of the first batch is complete or does not exist, whenever a run is interrupted.
func TestInterruptedReel(t *testing.T) {
	videos := clitest.SomeVideos(t)
	for writes := 1; writes <= 4; writes++ {
		folder := t.TempDir()
		reel := filepath.Join(folder, "first.mp4")
		ctx, cancel := context.WithCancel(t.Context())
		stdout := &interrupter{cancel: cancel, writes: writes}
		code := tool.Execute(ctx, []string{"run", "video", videos, "--frames", short.Of("32", "16"), "--size",
			short.Of("192", "48"), "--batch", "4", "--workers", "2", "--epochs", "1000000", "--digest", "--save-first", reel},
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
	for _, args := range [][]string{{"probe", clitest.Photo}, {"decode", "image", clitest.Photo, "--out", out},
		{"run", "images", clitest.Media + "/photos"}, {"bench", "images", "--files", clitest.Photo},
		{"decode", "video", clitest.Clip, "--out", out}, {"decode", "audio", clitest.Song, "--out", out},
		{"index", clitest.Clip}, {"run", "video", clitest.Clip}, {"run", "audio", clitest.Song},
		{"bench", "videofull", "--files", clitest.Clip}} {
		var stdout, stderr bytes.Buffer
		assert.Equal(t, cli.ExitInterrupted, tool.Execute(ctx, args, &stdout, &stderr), args)
		assert.Equal(t, "spool: interrupted\n", stderr.String(), args)
	}
	assert.NoFileExists(t, out)
}

// namedPipe creates a named pipe.
func namedPipe(t testing.TB) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(name, 0o600))
	return name
}

// A run can be interrupted while it lists: here the list is a pipe that is never closed.
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

// A call that hangs in the system, such as opening a pipe without a reader, does not delay the end.
func TestInterruptedWhileTheSystemHangs(t *testing.T) {
	ledger := filepath.Join(t.TempDir(), "ledger")
	var stderr bytes.Buffer
	c := process(t, "run", "images", clitest.Photo, "--ledger", ledger, "--save-first", namedPipe(t))
	c.Stderr = &stderr
	require.NoError(t, c.Start())
	require.Eventually(t, func() bool { // the ledger is created first
		_, err := os.Stat(ledger)
		return err == nil
	}, time.Minute, time.Millisecond)
	begin := time.Now()
	require.NoError(t, c.Process.Signal(os.Interrupt))
	assert.Equal(t, cli.ExitInterrupted, exitCode(t, c))
	timing.Within(t, time.Since(begin), soon, "an interrupt")
	assert.Equal(t, "spool: interrupted\n", stderr.String())
}

// The command ends silently when the reader of its output, such as head, has closed it.
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

// The same if the system does not end the process.
func TestBrokenPipeWithoutSignal(t *testing.T) {
	for _, args := range [][]string{append(endless, "--digest"), {"probe", clitest.Photo},
		{"decode", "image", clitest.Photo, "--out", "-"}, {"doctor"}} {
		var stderr strings.Builder
		assert.Equal(t, cli.ExitInput, tool.Execute(t.Context(), args, broken{}, &stderr), args)
		assert.Empty(t, stderr.String(), args)
	}
}

// manyPhotos returns more names than fit into a pipe's buffer as lines of probe.
func manyPhotos(t testing.TB) (names []string) {
	t.Helper()
	files, err := filepath.Glob(clitest.Media + "/photos/*/*.jpg")
	require.NoError(t, err)
	for len(names) < 2000 {
		names = append(names, files...)
	}
	return names
}

// SIGQUIT prints the state of all stages, and the run goes on.
func TestQuitShowsTheState(t *testing.T) {
	c := process(t, append(endless, "--digest")...)
	stdout, err := c.StdoutPipe()
	require.NoError(t, err)
	stderr, err := c.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	_, err = bufio.NewReader(stdout).ReadString('\n') // then it waits until more is read
	require.NoError(t, err)
	errors := bufio.NewReader(stderr)
	for range 2 {
		require.NoError(t, c.Process.Signal(syscall.SIGQUIT))
		var state strings.Builder
		for !strings.Contains(state.String(), "goroutine profile:") {
			line, err := errors.ReadString('\n')
			require.NoError(t, err, state.String())
			state.WriteString(line)
		}
		assert.Regexp(t, `(?s)spool: state after .* s\n.*stage.*occupancy.*list.*decode.*batch`, state.String())
	}
	require.NoError(t, c.Process.Kill())
	assert.Equal(t, -int(syscall.SIGKILL), exitCode(t, c))
}

// With --trace-seconds, each SIGUSR2 writes a trace to a file of its own, which the end of the run makes whole.
func TestTraceOnSignal(t *testing.T) {
	file, bad := filepath.Join(t.TempDir(), "trace.json"), filepath.Join(t.TempDir(), "bad.jpg")
	require.NoError(t, os.WriteFile(bad, []byte("no image"), 0o600))
	c := process(t, append(slices.Clip(endless), bad, "--trace", file, "--trace-seconds", "0.2")...)
	stderr, err := c.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	lines := bufio.NewReader(stderr)
	until := func(text string) {
		for line := ""; !strings.Contains(line, text); {
			line, err = lines.ReadString('\n')
			require.NoError(t, err, line)
		}
	}
	until("bad.jpg") // the run has begun
	assert.NoFileExists(t, file)
	for _, name := range []string{file, strings.TrimSuffix(file, ".json") + "-2.json"} {
		require.NoError(t, c.Process.Signal(syscall.SIGUSR2))
		until("trace of 200ms begins: " + name)
		until("trace is written: " + name)
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		assert.True(t, json.Valid(text))
		assert.Contains(t, string(text), `"name":"decode"`)
	}
	require.NoError(t, c.Process.Signal(syscall.SIGUSR2))
	until("-3.json")
	require.NoError(t, c.Process.Signal(syscall.SIGINT))
	until("trace is written")
	go func() { _, _ = io.Copy(io.Discard, lines) }()
	assert.Equal(t, cli.ExitInterrupted, exitCode(t, c))
}

// A crash of a run has the exit code of an internal error, never that of wrong usage.
func TestCrashes(t *testing.T) {
	withoutRace(t)
	for _, signal := range []syscall.Signal{syscall.SIGABRT, syscall.SIGSEGV} {
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
