package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
	"github.com/spoolmedia/spool/internal/need"
)

// Features of later versions are unknown, not ignored.
func TestNotYet(t *testing.T) {
	for _, args := range []string{
		"run images x --rank 0", "run images x --world 2", "run images x --mix a=1",
		"run images x --frames 16", "run images x --rate 16000", "run images x --duration 1",
		"bench images --files x --frames 16",
		"parity x", "cache",
	} {
		assert.Equal(t, cli.ExitUsage, tool.Run(strings.Fields(args)...).Code, args)
	}
}

// A batch that does not fit into this machine's memory is wrong usage, found before anything is loaded.
func TestBatchThatDoesNotFit(t *testing.T) {
	for _, args := range [][]string{{"run", "images", clitest.Photo}, {"bench", "images", "--files", clitest.Photo}} {
		o := tool.Run(append(args, "--batch", "1000000", "--size", "40000")...)
		assert.Equal(t, cli.ExitUsage, o.Code)
		assert.Contains(t, o.Stderr, "spool: usage: --batch 1000000 --size 40000x40000: a batch needs 4470348.4 GiB of "+
			"memory, and this machine has ")
		assert.Len(t, clitest.Lines(o.Stderr), 1)
	}
}

// The value of a flag is not taken for a flag, and neither is a word after --.
func TestWordsWithDashes(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	tool.Refused(t, cli.ExitInput, []string{"spool: --size: not-found: no such file or directory"}, "probe", "--",
		"--size")
	tool.Refused(t, cli.ExitInput, []string{"spool: -: not-found: no such file or directory"}, "probe", "-")
	tool.Refused(t, cli.ExitInput, []string{"spool: x.jpg: not-found: no such file or directory"}, "decode", "image",
		"x.jpg", "--out", "--icc")
	require.NoFileExists(t, filepath.Join(dir, "--icc"))
}

func TestHelpAndVersion(t *testing.T) {
	for _, args := range []string{"--help", "help", "help run images", "run images --help", "run images -h",
		"decode image --help", "probe -h", "bench --help", "completion bash"} {
		assert.NotEmpty(t, tool.Done(t, strings.Fields(args)...), args)
	}
	for _, flag := range []string{"--version", "-v"} {
		assert.Regexp(t, `^spool \S.* \(FFmpeg \d+\.\S+, .*libjpeg-turbo \d+\.\d+\.\d+, .*libvips \d+\.\d+\.\d+, .*\)\n$`,
			tool.Done(t, flag))
	}
}

// Shell completion knows a flag's words.
func TestCompletion(t *testing.T) {
	o := tool.Run("__complete", "run", "images", "--last", "")
	assert.Zero(t, o.Code)
	assert.Equal(t, []string{"drop", "keep", "pad", ":4"}, clitest.Lines(o.Stdout))
}

type panicking struct{}

func (panicking) Write([]byte) (int, error) { panic("a bug") }

// Go's exit code of a panic is that of wrong usage; spool's is not.
func TestPanicIsInternal(t *testing.T) {
	var stderr strings.Builder
	code := tool.Execute(t.Context(), []string{"doctor", "--json"}, panicking{}, &stderr)
	assert.Equal(t, cli.ExitInternal, code)
	assert.Contains(t, stderr.String(), "spool: internal: panic: a bug\n")
}

// Output that cannot be written is an error, and only files that spool created are removed.
func TestFullDisk(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		need.Skip(t, need.System, "no /dev/full")
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	require.NoError(t, err)
	defer full.Close()
	for _, args := range [][]string{
		{"probe", clitest.Photo}, {"probe", clitest.Photo, "--json"}, {"doctor"}, {"doctor", "--json"},
		{"decode", "image", clitest.Photo, "--out", "-"},
		{"run", "images", clitest.Photo}, {"run", "images", clitest.Photo, "--json"},
		{"run", "images", clitest.Photo, "--digest"}, {"bench", "images", "--files", clitest.Photo},
	} {
		var stderr strings.Builder
		assert.Equal(t, cli.ExitInput, tool.Execute(t.Context(), args, full, &stderr), args)
		assert.Equal(t, "spool: /dev/full: io: no space left on device\n", stderr.String(), args)
	}
	tool.Refused(t, cli.ExitInput, []string{"spool: /dev/full: io: no space left on device"}, "decode", "image",
		clitest.Photo, "--out", "/dev/full")
	assert.Equal(t, "spool: /dev/full: io: no space left on device\n",
		tool.Run("run", "images", clitest.Photo, "--save-first", "/dev/full").Stderr)
	tool.Refused(t, cli.ExitInput, []string{"spool: /dev/full: io: no space left on device"}, "run", "images",
		clitest.Empty, "--ledger", "/dev/full")
	assert.FileExists(t, "/dev/full", "a device is not ours to remove")
}
