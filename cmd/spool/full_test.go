package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
	"github.com/spoolmedia/spool/internal/need"
)

// smallDisk mounts a disk of a size at a folder, which only root may do.
func smallDisk(t *testing.T, folder, size string) {
	t.Helper()
	require.NoError(t, os.Mkdir(folder, 0o700))
	if err := unix.Mount("tmpfs", folder, "tmpfs", 0, "size="+size); err != nil {
		need.Skip(t, need.System, "no disk can be mounted: %v", err)
	}
	t.Cleanup(func() { assert.NoError(t, unix.Unmount(folder, unix.MNT_DETACH)) })
}

// TestDiskThatFills has each output of the command on a disk that is full from some byte on. A call fails with a line
// that names the file, or goes on without the output and says so. No part of a file has the name of a whole one, and
// with room the same call does all of its work.
func TestDiskThatFills(t *testing.T) {
	withoutRace(t)
	images := func(more ...string) []string {
		return clitest.With([]string{"run", "images", clitest.Media + "/photos", "--size", "32", "--batch", "2",
			"--epochs", "8", "--digest"}, more...)
	}
	for _, test := range []struct {
		name, out string
		room      int  // bytes that the disk has left
		lines     bool // whole lines of the output may be there
		args      []string
	}{
		{"array", "out.npy", 8192, false, []string{"decode", "video", clitest.Clip, "--out", "DISK/out.npy"}},
		{"state", "state", 0, false, images("--state-out", "DISK/state")},
		{"ledger", "ledger.jsonl", 8192, true, []string{"run", "images", clitest.Media + "/hard", "--size", "8",
			"--epochs", "4", "--ledger", "DISK/ledger.jsonl"}},
		{"receipts", "receipts.jsonl", 8192, true, images("--receipts", "DISK/receipts.jsonl")},
		{"receipts as Parquet", "receipts.parquet", 0, false, images("--receipts", "DISK/receipts.parquet")},
		{"trace", "trace.json", 8192, true, images("--trace", "DISK/trace.json")},
		{"picture", "first.png", 0, false, images("--save-first", "DISK/first.png")},
		{"pack", "shards/000000.tar", 8192, false, []string{"pack", clitest.Media + "/photos", "--out", "DISK/shards"}},
		{"index", "indexes/*.spoolidx", 0, false, []string{"index", clitest.Clip, "--index-dir", "DISK/indexes"}},
		{"packets", "copy.mkv", 0, false, []string{"packets", clitest.Clip, "--out", "DISK/copy.mkv"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			disk := filepath.Join(t.TempDir(), "disk")
			smallDisk(t, disk, "64k")
			o := operation{args: test.args}
			var args []string
			for _, a := range test.args {
				args = append(args, strings.ReplaceAll(a, "DISK", disk))
			}
			filler := filepath.Join(disk, "filler")
			require.NoError(t, os.WriteFile(filler, make([]byte, 64<<10-test.room), 0o600))
			ran := o.run(t, process(t, args...), nil)
			assert.Contains(t, []int{cli.ExitDone, cli.ExitInput}, ran.code, ran.stderr)
			assert.Contains(t, strings.ToLower(ran.stderr), "no space left on device")
			for line := range strings.Lines(ran.stderr) {
				assert.Regexp(t, `^spool: `, line)
				assert.NotContains(t, line, "internal:")
			}
			found := func(name string) []string {
				names, err := filepath.Glob(filepath.Join(disk, name))
				require.NoError(t, err)
				return names
			}
			assert.Empty(t, found(".*"), "temporary files")
			if !test.lines {
				assert.Empty(t, found(test.out))
			}
			require.NoError(t, os.Remove(filler))
			require.NoError(t, unix.Mount("", disk, "", unix.MS_REMOUNT, "size=64m"))
			again := o.run(t, process(t, args...), nil)
			assert.Zero(t, again.code, again.stderr)
			assert.NotEmpty(t, found(test.out))
		})
	}
}
