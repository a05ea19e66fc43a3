package main

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
	"github.com/spoolmedia/spool/internal/seed"
	"github.com/spoolmedia/spool/loader"
)

var kills = flag.Int("kills", 10, "how many runs are killed and resumed")

// mixed is a run on images of which some are bad.
var mixed = []string{"run", "images", clitest.Media + "/photos", clitest.Media + "/hard", "--ledger", os.DevNull,
	"--size", "48", "--shuffle", "--seed", "5", "--digest"}

// A run that was killed at any moment resumes from its last state, with the same batches as without a kill.
func TestKilledRunsResume(t *testing.T) {
	r := seed.Rand(t)
	args := clitest.With(mixed, "--batch", "5", "--epochs", "3", "--train")
	o := tool.Run(args...)
	require.Zero(t, o.Code, o.Stderr)
	whole := clitest.Digests(o.Stdout)
	require.Greater(t, len(whole), 50)
	resumed := 0
	rounds := *kills
	if testing.Short() {
		rounds = min(rounds, 4)
	}
	for round := range rounds {
		state := filepath.Join(t.TempDir(), "state.json")
		c := process(t, clitest.With(args, "--state-out", state, "--workers", "1")...)
		out, err := c.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, c.Start())
		lines := bufio.NewScanner(out)
		for n := r.IntN(len(whole)); n > 0 && lines.Scan(); n-- { // at any point between two batches
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
		o := tool.Run(clitest.With(args, "--resume", state, "--workers", "3")...)
		require.Zero(t, o.Code, o.Stderr)
		rest := clitest.Digests(o.Stdout)
		assert.True(t, slices.Equal(whole[len(whole)-len(rest):], rest), "round %d: %v", round, rest)
		done := slices.IndexFunc(whole, func(line string) bool {
			return strings.HasPrefix(line, fmt.Sprintf("%d %d ", s.State.Epoch, s.Batch-1))
		})
		assert.Len(t, rest, len(whole)-1-done, "round %d: state %s", round, text)
		resumed++
	}
	t.Logf("%d of %d were resumed", resumed, rounds)
	require.Positive(t, resumed)
}
