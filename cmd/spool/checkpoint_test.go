package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/seed"
	"github.com/spoolmedia/spool/loader"
)

var kills = flag.Int("kills", 10, "how many runs are killed and resumed")

// digestLines are the lines of --digest.
func digestLines(out string) (lines []string) {
	for line := range strings.Lines(out) {
		if fields := strings.Fields(line); len(fields) == 3 && len(fields[2]) == 64 {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

// mixed are pictures of which some are bad.
var mixed = []string{"run", "images", media + "/photos", media + "/hard", "--ledger", os.DevNull, "--size", "48", "--shuffle", "--seed", "5", "--digest"}

func with(args []string, more ...string) []string { return append(slices.Clone(args), more...) }

// A run that was killed at any moment goes on from its last state as if nothing had been.
func TestKilledRunsResume(t *testing.T) {
	r := seed.Rand(t)
	args := with(mixed, "--batch", "5", "--epochs", "3", "--train")
	o := command(args...)
	require.Zero(t, o.code, o.stderr)
	whole := digestLines(o.stdout)
	require.Greater(t, len(whole), 50)
	resumed := 0
	rounds := *kills
	if testing.Short() {
		rounds = min(rounds, 4)
	}
	for round := range rounds {
		state := filepath.Join(t.TempDir(), "state.json")
		c := process(t, with(args, "--state-out", state, "--workers", "1")...)
		out, err := c.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, c.Start())
		lines := bufio.NewScanner(out)
		for n := r.IntN(len(whole)); n > 0 && lines.Scan(); n-- { // then it is anywhere between two batches
		}
		_ = c.Process.Kill()
		_ = c.Wait()
		left, err := filepath.Glob(state + "*")
		require.NoError(t, err)
		require.LessOrEqual(t, len(left), 2, "the state, and one that was being written")
		text, err := os.ReadFile(state)
		if os.IsNotExist(err) {
			continue // too early
		}
		require.NoError(t, err)
		s, err := loader.ParseState(text)
		require.NoError(t, err)
		o := command(with(args, "--resume", state, "--workers", "3")...)
		require.Zero(t, o.code, o.stderr)
		rest := digestLines(o.stdout)
		assert.True(t, slices.Equal(whole[len(whole)-len(rest):], rest), "round %d: %v", round, rest)
		done := slices.IndexFunc(whole, func(line string) bool {
			return strings.HasPrefix(line, strings.Join([]string{itoa(s.State.Epoch), itoa(s.Batch - 1), ""}, " "))
		})
		assert.Len(t, rest, len(whole)-1-done, "round %d: state %s", round, text)
		resumed++
	}
	t.Logf("%d of %d were resumed", resumed, rounds)
	require.Positive(t, resumed)
}

func hashOf(line string) string { return line[strings.LastIndex(line, " ")+1:] }

func itoa[T int | uint64](v T) string {
	text, _ := json.Marshal(v)
	return string(text)
}

// Ranks share the samples of an epoch; other ranks go on with what they have left.
func TestRanksResumeAsOthers(t *testing.T) {
	run := []string{"run", "images", media + "/photos", "--size", "8", "--batch", "3", "--shuffle", "--limit", "30", "--digest"}
	alone := digestLines(done(t, run...))
	require.Len(t, alone, 10)
	var states []string
	for rank := range 2 {
		name := filepath.Join(t.TempDir(), "state")
		lines := digestLines(done(t, with(run, "--rank", itoa(rank), "--world", "2", "--state-out", name)...))
		require.Len(t, lines, 5)
		for i, line := range lines {
			assert.Equal(t, hashOf(alone[2*i+rank]), hashOf(line), "ranks take turns of a batch")
		}
		states = append(states, "--resume", name)
	}
	assert.Empty(t, digestLines(done(t, with(run, states...)...)), "nothing is left")
	twice := digestLines(done(t, with(run, "--epochs", "2")...))
	assert.Equal(t, twice[10:], digestLines(done(t, with(run, append(states, "--epochs", "2")...)...)))
	assert.Equal(t, twice[10:], digestLines(done(t, with(run, append(states[:2], "--epochs", "2")...)...)), "one rank speaks for all")
}

func TestRankOfTheEnvironment(t *testing.T) {
	t.Setenv("RANK", "1")
	t.Setenv("WORLD_SIZE", "4")
	run := []string{"run", "images", media + "/photos", "--size", "8", "--digest"}
	some := digestLines(done(t, run...))
	assert.Equal(t, some, digestLines(done(t, with(run, "--rank", "1", "--world", "4")...)))
	assert.NotEqual(t, some, digestLines(done(t, with(run, "--rank", "0", "--world", "1")...)))
	t.Setenv("WORLD_SIZE", "1")
	o := command(run...)
	assert.Equal(t, 2, o.code)
	assert.Contains(t, o.stderr, `RANK="1" and WORLD_SIZE="1" are no rank`)
}

func TestStateFiles(t *testing.T) {
	folder := t.TempDir()
	state := filepath.Join(folder, "state.json")
	run := []string{"run", "images", media + "/photos", "--size", "8", "--batch", "4"}
	done(t, with(run, "--state-out", state, "--state-every", "7")...)
	files, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, files, 1, "nothing else is left behind")
	text, err := os.ReadFile(state)
	require.NoError(t, err)
	assert.True(t, bytes.HasSuffix(text, []byte("}\n")))
	s, err := loader.ParseState(text)
	require.NoError(t, err)
	assert.Equal(t, 44, s.Taken, "also behind the last batch")

	refused(t, 1, []string{"spool: " + folder + "/none: not-found: no such file or directory"}, with(run, "--resume", folder+"/none")...)
	refused(t, 1, []string{"spool: " + photo + ": corrupt: no state of a loader: invalid character 'ÿ' looking for beginning of value"}, with(run, "--resume", photo)...)
	refused(t, 2, []string{"spool: usage: state 0 has seed 0, this loader 1"}, with(run, "--resume", state, "--seed", "1")...)
	refused(t, 2, []string{"spool: usage: --state-out and --resume need --order exact"}, with(run, "--resume", state, "--order", "any")...)
	refused(t, 2, []string{"spool: usage: --rank and --world come together"}, with(run, "--rank", "0")...)
	refused(t, 2, []string{"spool: usage: --rank 3 of --world 3: ranks count from 0"}, with(run, "--rank", "3", "--world", "3")...)
	nowhere := filepath.Join(folder, "no", "state")
	refused(t, 1, []string{"spool: " + nowhere + ": not-found: no such file or directory"}, with(run, "--state-out", nowhere)...)
	refused(t, 1, []string{"spool: " + folder + ": not-a-file: a directory, where a file is to be written"}, with(run, "--state-out", folder)...)
}

// A device is written to, and stays one.
func TestStateToDevice(t *testing.T) {
	run := []string{"run", "images", media + "/photos", "--size", "8", "--batch", "4", "--state-out"}
	done(t, with(run, os.DevNull)...)
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full here")
	}
	o := command(with(run, "/dev/full")...)
	assert.Equal(t, 1, o.code)
	assert.Equal(t, "spool: /dev/full: io: no space left on device\n", o.stderr)
	for _, device := range []string{os.DevNull, "/dev/full"} {
		info, err := os.Stat(device)
		require.NoError(t, err)
		assert.NotZero(t, info.Mode()&os.ModeDevice, device)
	}
}
