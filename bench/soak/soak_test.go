package main

import (
	"bufio"
	"context"
	"encoding/xml"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// command is a script in place of spool.
func command(t *testing.T, commit, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "spool")
	text := "#!/bin/sh\nif [ $1 = doctor ]; then echo '{\"spool\": \"" + commit + "\"}'; exit; fi\n" + script
	require.NoError(t, os.WriteFile(path, []byte(text), 0o700))
	return path
}

// Parts that the record of a commit has are not run again. The record has what was loaded, and lies beside a plot.
func TestRecord(t *testing.T) {
	t.Chdir("../..")
	runs := filepath.Join(t.TempDir(), "runs")
	script := "echo \"$@\" >>" + runs + "; echo '{\"samples\": 7, \"failed\": 2}'"
	s := soak{spool: command(t, "0123456789abcdef", script), results: t.TempDir(), share: 0.01, interval: time.Hour}
	require.NoError(t, s.all(t.Context(), []string{"photos-isolated", "audio"}))
	require.NoError(t, s.all(t.Context(), []string{"audio", "damaged"}), "audio is recorded")

	text, err := os.ReadFile(runs)
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	require.Len(t, lines, 3)
	assert.Contains(t, lines[0], "run audio @")
	assert.Contains(t, lines[0], "--isolate=off")
	assert.Contains(t, lines[1], "run images @")
	assert.Contains(t, lines[1], "--isolate=all")
	assert.Contains(t, lines[2], "--epochs=2 --json", "1 % of 200,000, of 1,000 a list")

	found, err := filepath.Glob(filepath.Join(s.results, "soak-*-0123456789.*"))
	require.NoError(t, err)
	require.Len(t, found, 2)
	r, err := openRecord(s.results, "0123456789abcdef")
	require.NoError(t, err)
	var recorded []string
	for _, o := range r.Parts {
		recorded = append(recorded, o.Part)
		assert.Equal(t, 7, o.Samples)
		assert.Equal(t, 2, o.Failed)
		assert.NotZero(t, o.Machine.Cores)
		assert.NotContains(t, o.Command, s.spool, "the record has no paths of a machine")
	}
	assert.Equal(t, []string{"audio", "damaged", "photos-isolated"}, recorded)
	drawing, err := os.ReadFile(found[1])
	require.NoError(t, err)
	require.NoError(t, xml.Unmarshal(drawing, new(struct{})))

	s.share = 0.02
	_, ok := r.find("audio", s.share)
	assert.False(t, ok, "fewer samples are not the same")
	s.again, s.share = true, 0.01
	require.NoError(t, s.all(t.Context(), []string{"audio"}))
	text, err = os.ReadFile(runs)
	require.NoError(t, err)
	assert.Equal(t, 4, strings.Count(string(text), "\n"))

	r, err = openRecord(s.results, "0123456789abcdef+changes")
	require.NoError(t, err)
	require.NoError(t, r.add(outcome{Part: "audio"}))
	_, ok = r.find("audio", 0)
	assert.False(t, ok, "the changes may be others")
	assert.Error(t, s.all(t.Context(), []string{"nothing"}))
}

// Failures are those of the command, of a limit and of growth.
func TestFailures(t *testing.T) {
	t.Chdir("../..")
	s := soak{spool: command(t, "a", "echo broken >&2; exit 1"), share: 1, interval: time.Hour}
	require.ErrorContains(t, s.all(t.Context(), []string{"audio"}), "broken")
	s.spool = command(t, "a", "echo text")
	require.Error(t, s.all(t.Context(), []string{"audio"}))
	const large = `x=$(head -c 250000000 /dev/zero | tr '\0' x); echo '{"samples": 7}'`
	s.spool = command(t, "a", large)
	require.ErrorContains(t, s.all(t.Context(), []string{"audio"}), "a peak of more than 200 MB")
	_, err := s.part(context.Background(), part{name: "none", sources: []string{"no such file"}})
	require.ErrorContains(t, err, "no files")
}

// The rule holds for noise, peaks and a warm-up, and finds growth of 3 % under noise.
func TestJudge(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	run := func(of func(share float64) float64) judgment {
		var looks []look
		for i := range 2000 {
			mb := of(float64(i)/2000) + 10*r.NormFloat64()
			if r.IntN(20) == 0 {
				mb += 200
			}
			looks = append(looks, look{float64(i), memory{resident: mb + 50, private: mb}})
		}
		return judge(looks)
	}
	flat := run(func(share float64) float64 { return 150 * min(1, 0.2+8*share) })
	assert.InDelta(t, 200, flat.First, 2)
	assert.Less(t, flat.Growth, tolerance)
	assert.Less(t, flat.Noise, tolerance)
	grows := run(func(share float64) float64 { return 150 + 10*share })
	assert.Greater(t, grows.Growth, tolerance, "6 MB from the middle of one quarter to that of the other")
	assert.Greater(t, grows.Own, grows.Growth)
	assert.Zero(t, judge(make([]look, 15)), "too short")
}

// A run is condensed to medians over all of its time.
func TestCondense(t *testing.T) {
	var looks []look
	for i := range 1000 {
		looks = append(looks, look{float64(i + 1), memory{float64(i), 7}})
	}
	seconds, all, own := condense(looks)
	assert.Len(t, seconds, stretches)
	assert.Len(t, all, stretches)
	assert.InDelta(t, 1000, seconds[stretches-1], 0)
	assert.InDelta(t, 2, all[0], 1)
	assert.InDelta(t, 998, all[stretches-1], 1)
	assert.InDelta(t, 7, own[17], 0)
	seconds, _, _ = condense(looks[:3])
	assert.Equal(t, []float64{1, 2, 3}, seconds)
}

// The memory of a process includes that of its children.
func TestMemoryOf(t *testing.T) {
	before, ok := memoryOf(os.Getpid())
	require.True(t, ok)
	assert.Greater(t, before.resident, before.private)
	c := exec.CommandContext(t.Context(), "sh", "-c",
		`x=$(head -c 50000000 /dev/zero | tr '\0' x); echo ready; read line; echo ${#x}`)
	in, err := c.StdinPipe()
	require.NoError(t, err)
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	lines := bufio.NewScanner(out)
	require.True(t, lines.Scan())
	with, ok := memoryOf(os.Getpid())
	assert.True(t, ok)
	assert.Greater(t, with.private, before.private+45)
	require.NoError(t, in.Close())
	for lines.Scan() {
	}
	require.NoError(t, c.Wait())
	_, ok = memoryOf(c.Process.Pid)
	assert.False(t, ok, "it has ended")
}

// A list has each file equally often, and at least an epoch's samples.
func TestList(t *testing.T) {
	path := filepath.Join(t.TempDir(), "list")
	n, err := list(path, []string{"/a", "/b", "/c"})
	require.NoError(t, err)
	assert.Equal(t, 1002, n)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, strings.Repeat("/a\n/b\n/c\n", 334), string(text))
}
