package main

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cbridge/cuda/fake"
	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
	"github.com/spoolmedia/spool/internal/short"
)

// Batches are the same for each destination. The process loads a driver without a device.
func TestRunDevice(t *testing.T) {
	driver := fake.New(t, fake.Settings{})
	run := []string{"run", "images", clitest.Media + "/photos", "--size", "32", "--batch", "8", "--epochs", "2",
		"--digest"}
	want := clitest.Digests(tool.Done(t, run...))
	require.Len(t, want, 12)
	for _, device := range short.Of([]string{"host", "pinned", "cuda:0", "cuda"}, []string{"cuda:0"}) {
		t.Run(device, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			c := process(t, clitest.With(run, "--device", device)...)
			c.Env = append(c.Env, "LD_LIBRARY_PATH="+filepath.Dir(driver.File))
			c.Stdout, c.Stderr = &stdout, &stderr
			require.NoError(t, c.Start())
			require.Zero(t, exitCode(t, c), stderr.String())
			assert.Empty(t, stderr.String())
			assert.Equal(t, want, clitest.Digests(stdout.String()))
		})
	}
	var stderr bytes.Buffer
	c := process(t, clitest.With(run, "--device", "cuda:3")...)
	c.Env = append(c.Env, "LD_LIBRARY_PATH="+filepath.Dir(driver.File))
	c.Stderr = &stderr
	require.NoError(t, c.Start())
	require.Equal(t, cli.ExitInput, exitCode(t, c))
	assert.Regexp(t, "^spool: cuda:3: device: [^\n]*\n$", stderr.String())
}

// Without a driver, memory is pinned as far as the system allows, and devices are not found.
func TestRunWithoutDriver(t *testing.T) {
	for _, kind := range []string{"images", "video", "audio"} {
		file := map[string]string{"images": clitest.Photo, "video": clitest.Clip, "audio": clitest.Song}[kind]
		o := tool.Run("run", kind, file, "--device", "cuda:9999")
		assert.Equal(t, cli.ExitInput, o.Code)
		assert.Regexp(t, "^spool: cuda:9999: device: [^\n]*\n$", o.Stderr)
		o = tool.Run("run", kind, file, "--device", "pinned")
		assert.Zero(t, o.Code, o.Stderr)
		tool.Refused(t, cli.ExitUsage,
			[]string{"spool: usage: --device gpu: must be host, pinned or cuda:N; did you mean cuda:0?"}, "run", kind, file,
			"--device", "gpu")
	}
}
