package main

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/bench/copies"
	"github.com/spoolmedia/spool/cbridge/cuda/fake"
	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
)

// If the system has a driver, the first device is measured.
func TestBenchTransferFindsTheDevice(t *testing.T) {
	f, err := fake.Load(t.TempDir())
	require.NoError(t, err)
	run := func(args ...string) string {
		c := process(t, append([]string{"bench", "transfer", "--bytes", "64KiB,1MiB", "--batches", "3", "--repeat", "1"},
			args...)...)
		c.Env = append(c.Env, "LD_LIBRARY_PATH="+filepath.Dir(f.File))
		out, err := c.Output()
		require.NoError(t, err)
		return string(out)
	}
	lines := clitest.Lines(run("--json"))
	require.Len(t, lines, 20)
	for i, line := range lines {
		var r copies.Result
		require.NoError(t, json.Unmarshal([]byte(line), &r))
		assert.Equal(t, "cuda:0", r.Device)
		assert.Equal(t, []int{64 << 10, 1 << 20}[i/10], r.Bytes)
		assert.Positive(t, r.UsPerItem)
	}
	table := run()
	assert.Regexp(t, `^cuda:0: batches of 0.0625 MiB\nbare-h2d +[0-9.]+ us +[0-9.]+ GB/s +1.000 of the floor +Fake Device 0`, table)
	assert.Regexp(t, `(?m)^overlap +[0-9.]+ us +-?[0-9.]+ hidden +spool`, table)
	assert.Regexp(t, `(?m)^cuda:0: batches of 1 MiB$`, table)
}

// Without a driver the host is measured, and a line says why, unless a device was requested.
func TestBenchTransferWithoutADevice(t *testing.T) {
	few := []string{"bench", "transfer", "--bytes", "64KiB", "--batches", "2", "--repeat", "1"}
	o := tool.Run(few...)
	if o.Stderr == "" {
		t.Skip("there is a device")
	}
	assert.Equal(t, cli.ExitDone, o.Code)
	require.Len(t, clitest.Lines(o.Stderr), 1)
	assert.Contains(t, o.Stderr, "spool: cuda:0: device: dlopen: libcuda.so.1")
	assert.Regexp(t, `^host: batches of 0.0625 MiB\nbare-copy .*\npass .* of the floor +spool\nhold .* plain\n$`, o.Stdout)

	o = tool.Run(append(few, "--device", "cuda:0")...)
	assert.Equal(t, cli.ExitInput, o.Code)
	assert.Empty(t, o.Stdout)
	require.Len(t, clitest.Lines(o.Stderr), 1)

	for _, device := range []string{"host", "pinned"} {
		out := tool.Done(t, append(few, "--device", device)...)
		assert.Regexp(t, "^"+device+": ", out)
	}
}
