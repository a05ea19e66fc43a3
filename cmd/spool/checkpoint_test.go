package main

import (
	"bufio"
	"encoding/json"
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
	"github.com/spoolmedia/spool/internal/short"
	"github.com/spoolmedia/spool/loader"
)

var (
	kills     = flag.Int("kills", 10, "how many runs are killed and resumed")
	formKills = flag.Int("form-kills", 3, "how many runs of records are killed and resumed, for each form of batches")
)

// mixed is a run on images of which some are bad.
var mixed = []string{"run", "images", clitest.Media + "/photos", clitest.Media + "/hard", "--ledger", os.DevNull,
	"--size", "48", "--shuffle", "--seed", "5", "--digest"}

// A run that was killed at any moment resumes from its last state, with the same batches as without a kill.
func TestKilledRunsResume(t *testing.T) {
	resumeKilled(t, clitest.With(mixed, "--batch", "5", "--epochs", short.Of("3", "2"), "--train"), *kills,
		short.Of(50, 30))
}

// The same for records, with each form of batches, and with segments of videos and their audio.
func TestKilledRecordsResume(t *testing.T) {
	for name, c := range killedRecords(t) {
		if testing.Short() && name != "dense" && name != "native budget" && name != "segments" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			resumeKilled(t, clitest.With([]string{"run", "records"}, append(c, "--ledger", os.DevNull, "--shuffle", "--seed",
				"5",
				"--digest", "--batch", "5", "--epochs", "3")...), *formKills, 20)
		})
	}
}

// killedRecords are sources and options of records, by name.
func killedRecords(t *testing.T) map[string][]string {
	table := filepath.Join(t.TempDir(), "segments.csv")
	rows := []string{"file,start,end,stream"}
	for i := range 60 {
		file, err := filepath.Abs(clitest.Media + "/video/" + []string{"languages.mkv", "absent.mkv"}[i%7/6])
		require.NoError(t, err)
		rows = append(rows, fmt.Sprintf("%s,%v,%v,%d", file, float64(i%15)/25, float64(i%15+4)/25, i%2))
	}
	require.NoError(t, os.WriteFile(table, []byte(strings.Join(rows, "\n")), 0o600))
	images := func(options string, form ...string) []string {
		return append([]string{clitest.Media + "/photos", clitest.Media + "/hard", "--field", "image=image:path," + options},
			form...)
	}
	segment := ",start=start,end=end"
	return map[string][]string{
		"dense":         images("size=48,train=true,views=2"),
		"pad":           images("resize_shorter=40,flip_x=0.5", "--form", "pad", "--form-multiple", "16"),
		"ragged":        images("resize_shorter=40", "--form", "ragged"),
		"bucket":        images("size=48,mode=fit,flip_x=0.5", "--form", "bucket"),
		"budget":        images("resize_shorter=40", "--form", "budget", "--budget-pixels", "8000"),
		"native bucket": images("mode=fit,flip_x=0.5", "--form", "bucket", "--buckets", "160x240,240x160,208x208"),
		"native budget": images("flip_x=0.5", "--form", "budget", "--budget-pixels", "200000", "--form-memory", "67108864"),
		"native ragged": images("flip_x=0.5", "--form", "budget", "--budget-pixels", "200000", "--budget-ragged"),
		"patches":       images("resize_max_pixels=3000", "--form", "patches", "--patch", "8", "--budget-tokens", "200"),
		"segments": {table, "--field", "clip=video:file,size=32,frames=3,train=true,stream=stream" + segment, "--field",
			"sound=audio:file,duration=0.1,rate=8000" + segment},
	}
}

// resumeKilled kills rounds runs at random moments, and resumes each. A whole run has more than least batches.
func resumeKilled(t *testing.T, args []string, rounds, least int) {
	r := seed.Rand(t)
	o := tool.Run(args...)
	require.Zero(t, o.Code, o.Stderr)
	whole := clitest.Digests(o.Stdout)
	require.Greater(t, len(whole), least)
	resumed, first := 0, 0
	if testing.Short() {
		rounds, first = min(rounds, 2), 2 // after two batches there is a state
	}
	for round := range rounds {
		state := filepath.Join(t.TempDir(), "state.json")
		c := process(t, clitest.With(args, "--state-out", state, "--workers", "1")...)
		out, err := c.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, c.Start())
		lines := bufio.NewScanner(out)
		for n := first + r.IntN(len(whole)-first); n > 0 && lines.Scan(); n-- { // at any point between two batches
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

// A run that was ended when only bad samples were left resumes, and ends well: good samples were delivered before.
func TestOnlyBadSamplesLeft(t *testing.T) {
	folder := t.TempDir()
	state, receipts := filepath.Join(folder, "state"), filepath.Join(folder, "receipts")
	args := []string{"run", "images", clitest.Photo, clitest.Photo, clitest.Empty, "--size", "32", "--batch", "1",
		"--digest"}
	whole := tool.Run(clitest.With(args, "--receipts", receipts)...)
	require.Zero(t, whole.Code, whole.Stderr)
	text, err := os.ReadFile(receipts)
	require.NoError(t, err)
	var last struct{ Before loader.State } // before the last batch
	require.NoError(t, json.Unmarshal([]byte(clitest.Lines(string(text))[2]), &last))
	require.Equal(t, 1, last.Before.Batch, "%s", text)
	last.Before.Batch, last.Before.Taken = 2, 2
	text, err = json.Marshal(last.Before)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(state, text, 0o600))
	o := tool.Run(clitest.With(args, "--resume", state, "--state-out", state)...)
	require.Zero(t, o.Code, o.Stderr)
	require.Empty(t, clitest.Digests(o.Stdout))
	require.Contains(t, o.Stderr, "empty.jpg")
	o = tool.Run(clitest.With(args, "--resume", state)...)
	require.Zero(t, o.Code, "from the state of its end: %s", o.Stderr)
}
