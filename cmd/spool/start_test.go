package main

import (
	"bytes"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cbridge/cuda/fake"
	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
	"github.com/spoolmedia/spool/internal/short"
)

// A command that needs no device costs the same on machines with and without a driver: it does not use the driver.
func driverCostsNothing(t *testing.T, spool string) {
	t.Helper()
	f, err := fake.Load(t.TempDir())
	require.NoError(t, err)
	with := "LD_LIBRARY_PATH=" + filepath.Dir(f.File)
	opened := func(args ...string) bool {
		c := exec.CommandContext(t.Context(), spool, args...)
		var said bytes.Buffer
		c.Env, c.Stderr = append(os.Environ(), with, "LD_DEBUG=files"), &said
		require.NoError(t, c.Run())
		require.Contains(t, said.String(), "libc.so.6", "what the linker opens")
		return bytes.Contains(said.Bytes(), []byte("libcuda.so"))
	}
	assert.True(t, opened("doctor"), "it would be seen")
	assert.False(t, opened("probe", clitest.Photo))
	assert.False(t, opened("decode", "image", clitest.Photo, "--out", os.DevNull))
	assert.False(t, opened("run", "images", clitest.Photo))

	// The figures are measured on the machine as it is.
	rounds := short.Of(15, 3)
	var calls [][]string
	for range rounds {
		calls = append(calls, []string{"env", "LD_LIBRARY_PATH=" + t.TempDir(), spool, "probe", clitest.Photo},
			[]string{"env", with, spool, "probe", clitest.Photo})
	}
	least := [2]cost{{Wall: math.Inf(1), CPU: math.Inf(1), RSS: math.MaxInt64},
		{Wall: math.Inf(1), CPU: math.Inf(1), RSS: math.MaxInt64}}
	for i, c := range measured(t, spool, calls...) {
		assert.Equal(t, cli.ExitDone, c.Code)
		l := &least[i%2]
		l.Wall, l.CPU, l.RSS = min(l.Wall, c.Wall), min(l.CPU, c.CPU), min(l.RSS, c.RSS)
	}
	t.Logf("probe without a driver %.1f ms, %.1f ms of CPU, %d MiB; with one %.1f ms, %.1f ms of CPU, %d MiB",
		1e3*least[0].Wall, 1e3*least[0].CPU, least[0].RSS, 1e3*least[1].Wall, 1e3*least[1].CPU, least[1].RSS)
	assert.InDelta(t, least[0].RSS, least[1].RSS, 2)
}
