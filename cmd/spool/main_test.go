package main

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
	"github.com/spoolmedia/spool/cmd/spool/internal/inject"
	"github.com/spoolmedia/spool/decode/audio"
	"github.com/spoolmedia/spool/decode/isolate"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/internal/leaktest"
)

// asCommand makes this test binary the command. The effects of signals, pipes and other users can only be seen on a
// process. This binary is already built, with the race detector if the tests have it.
const asCommand = "SPOOL_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	inject.Main()
	isolate.Main(video.HelperTasks(), audio.HelperTasks())
	switch {
	case os.Getenv(asCommand) != "":
		main()
	case os.Getenv(asShelves) != "":
		keepShelves(os.Getenv(asShelves))
	}
	leaktest.Main(m, clitest.Memory...)
}

var tool = clitest.Tool(commands)

// process returns the command as another process, not yet started.
func process(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	c := exec.CommandContext(t.Context(), self, args...)
	c.Env = append(os.Environ(), asCommand+"=yes")
	return c
}
