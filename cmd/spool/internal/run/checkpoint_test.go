package run

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
	"github.com/spoolmedia/spool/internal/need"
	"github.com/spoolmedia/spool/loader"
)

// Ranks share the samples of an epoch; other ranks resume with the rest.
func TestRanksResumeAsOthers(t *testing.T) {
	run := []string{"run", "images", clitest.Media + "/photos", "--size", "8", "--batch", "3", "--shuffle", "--limit",
		"30", "--digest"}
	alone := clitest.Digests(tool.Done(t, run...))
	require.Len(t, alone, 10)
	var states []string
	for rank := range 2 {
		name := filepath.Join(t.TempDir(), "state")
		lines := clitest.Digests(tool.Done(t,
			clitest.With(run, "--rank", itoa(rank), "--world", "2", "--state-out", name)...))
		require.Len(t, lines, 5)
		for i, line := range lines {
			assert.Equal(t, hashOf(alone[2*i+rank]), hashOf(line), "ranks take turns of a batch")
		}
		states = append(states, "--resume", name)
	}
	assert.Empty(t, clitest.Digests(tool.Done(t, clitest.With(run, states...)...)), "nothing is left")
	twice := clitest.Digests(tool.Done(t, clitest.With(run, "--epochs", "2")...))
	assert.Equal(t, twice[10:], clitest.Digests(tool.Done(t, clitest.With(run, append(states, "--epochs", "2")...)...)))
	assert.Equal(t, twice[10:], clitest.Digests(tool.Done(t,
		clitest.With(run, append(states[:2], "--epochs", "2")...)...)), "one rank speaks for all")
}

func TestRankOfTheEnvironment(t *testing.T) {
	t.Setenv("RANK", "1")
	t.Setenv("WORLD_SIZE", "4")
	run := []string{"run", "images", clitest.Media + "/photos", "--size", "8", "--digest"}
	some := clitest.Digests(tool.Done(t, run...))
	assert.Equal(t, some, clitest.Digests(tool.Done(t, clitest.With(run, "--rank", "1", "--world", "4")...)))
	assert.NotEqual(t, some, clitest.Digests(tool.Done(t, clitest.With(run, "--rank", "0", "--world", "1")...)))
	t.Setenv("WORLD_SIZE", "1")
	o := tool.Run(run...)
	assert.Equal(t, 2, o.Code)
	assert.Contains(t, o.Stderr, `RANK="1" and WORLD_SIZE="1" are not a rank`)
}

func TestStateFiles(t *testing.T) {
	folder := t.TempDir()
	state := filepath.Join(folder, "state.json")
	run := []string{"run", "images", clitest.Media + "/photos", "--size", "8", "--batch", "4"}
	tool.Done(t, clitest.With(run, "--state-out", state, "--state-every", "7")...)
	files, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, files, 1, "nothing else is left behind")
	text, err := os.ReadFile(state)
	require.NoError(t, err)
	assert.True(t, bytes.HasSuffix(text, []byte("}\n")))
	s, err := loader.ParseState(text)
	require.NoError(t, err)
	assert.Equal(t, 44, s.Taken, "also behind the last batch")

	tool.Refused(t, 1, []string{"spool: " + folder + "/none: not-found: no such file or directory"},
		clitest.With(run, "--resume", folder+"/none")...)
	tool.Refused(t, 1, []string{"spool: " + clitest.Photo + ": corrupt: not a loader's state: invalid character 'ÿ' " +
		"looking for beginning of value"}, clitest.With(run, "--resume", clitest.Photo)...)
	tool.Refused(t, 2, []string{"spool: usage: state 0 has seed 0, and this loader 1: open the loader with the sources " +
		"and options of that run"}, clitest.With(run, "--resume", state, "--seed", "1")...)
	tool.Refused(t, 2, []string{"spool: usage: --state-out and --resume need --order exact: samples in any order have " +
		"no state"},
		clitest.With(run, "--resume", state, "--order", "any")...)
	tool.Refused(t, 2, []string{"spool: usage: --rank and --world must be given together"},
		clitest.With(run, "--rank", "0")...)
	tool.Refused(t, 2, []string{"spool: usage: --rank 3 of --world 3: ranks count from 0, so the last is 2"},
		clitest.With(run, "--rank", "3", "--world", "3")...)
	nowhere := filepath.Join(folder, "no", "state")
	tool.Refused(t, 1, []string{"spool: " + nowhere + ": not-found: no such file or directory"},
		clitest.With(run, "--state-out", nowhere)...)
	tool.Refused(t, 1, []string{"spool: " + folder + ": not-a-file: a directory, where a file is to be written"},
		clitest.With(run, "--state-out", folder)...)
}

// A device is written to, and remains a device.
func TestStateToDevice(t *testing.T) {
	run := []string{"run", "images", clitest.Media + "/photos", "--size", "8", "--batch", "4", "--state-out"}
	tool.Done(t, clitest.With(run, os.DevNull)...)
	if _, err := os.Stat("/dev/full"); err != nil {
		need.Skip(t, need.System, "no /dev/full")
	}
	o := tool.Run(clitest.With(run, "/dev/full")...)
	assert.Equal(t, 1, o.Code)
	assert.Equal(t, "spool: /dev/full: io: no space left on device\n", o.Stderr)
	for _, device := range []string{os.DevNull, "/dev/full"} {
		info, err := os.Stat(device)
		require.NoError(t, err)
		assert.NotZero(t, info.Mode()&os.ModeDevice, device)
	}
}

func hashOf(line string) string { return line[strings.LastIndex(line, " ")+1:] }

func itoa[T int | uint64](v T) string {
	text, _ := json.Marshal(v)
	return string(text)
}
