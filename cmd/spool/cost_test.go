package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
	"github.com/spoolmedia/spool/internal/short"
	"github.com/spoolmedia/spool/internal/timing"
)

// cost is the cost and result of a command.
type cost struct {
	Args []string
	Code int
	Wall float64 // seconds
	CPU  float64 // seconds, in user and system mode
	RSS  int64   // peak, in MiB
}

// measured runs commands one after the other, as children of a small process: see testdata/meter, which is built into
// the folder of spool.
func measured(t testing.TB, spool string, calls ...[]string) []cost {
	t.Helper()
	costs := make([]cost, len(calls))
	for i, args := range calls {
		costs[i].Args = args
	}
	input, err := json.Marshal(costs)
	require.NoError(t, err)
	m := exec.CommandContext(t.Context(), filepath.Join(filepath.Dir(spool), "meter"))
	m.Stdin = bytes.NewReader(input)
	output, err := m.Output()
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(output, &costs))
	return costs
}

// A bad file is refused in less than two seconds and 200 MB, also in a run. A run's memory does not grow with its
// length. The test builds the command as users do, without the race detector.
func TestCost(t *testing.T) {
	folder := t.TempDir()
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", folder, ".", "./testdata/meter").CombinedOutput()
	require.NoError(t, err, "%s", out)
	spool := filepath.Join(folder, "spool")
	t.Run("bad files", func(t *testing.T) { badFilesAreCheap(t, spool) })
	t.Run("long runs", func(t *testing.T) { memoryIsFlat(t, spool) })
	t.Run("a driver", func(t *testing.T) { driverCostsNothing(t, spool) })
}

func badFilesAreCheap(t *testing.T, spool string) {
	t.Helper()
	files, err := filepath.Glob(clitest.Media + "/hard/bad/*")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range []string{"hard/header_only.jpg", "hard/truncated99.jpg", "libvips/truncated.jpg",
		"hard/bomb.png"} {
		if file := filepath.Join(clitest.Shared, name); exists(file) {
			files = append(files, file)
		}
	}
	var calls [][]string
	for i, file := range short.Some(files, 5) {
		if i%2 == 0 {
			calls = append(calls, []string{spool, "decode", "image", file, "--out", "/dev/null"})
		} else {
			calls = append(calls, []string{spool, "run", "images", file})
		}
	}
	var most cost
	for _, c := range measured(t, spool, calls...) {
		assert.Equal(t, cli.ExitInput, c.Code, c.Args)
		timing.Within(t, seconds(c.CPU), time.Second, fmt.Sprint(c.Args, " in CPU time"))
		timing.Within(t, seconds(c.Wall), 2*time.Second, fmt.Sprint(c.Args))
		assert.Less(t, c.RSS, int64(200), c.Args)
		most.Wall, most.CPU, most.RSS = max(most.Wall, c.Wall), max(most.CPU, c.CPU), max(most.RSS, c.RSS)
	}
	t.Logf("at most %.2f s, of them %.2f s of CPU, and %d MiB", most.Wall, most.CPU, most.RSS)
}

func seconds(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

func memoryIsFlat(t *testing.T, spool string) {
	t.Helper()
	run := []string{spool, "run", "images", clitest.Media + "/photos", "--size", "64", "--workers", "2", "--epochs"}
	few, many := slices.Concat(run, []string{"5"}), slices.Concat(run, []string{short.Of("50", "15")})
	costs := measured(t, spool, few, many)
	t.Logf("%d MiB for 5 epochs of 44 images, %d for %s", costs[0].RSS, costs[1].RSS, many[len(many)-1])
	assert.Equal(t, []int{cli.ExitDone, cli.ExitDone}, []int{costs[0].Code, costs[1].Code})
	assert.Less(t, costs[1].RSS, int64(150))
	assert.LessOrEqual(t, float64(costs[1].RSS), 1.2*float64(costs[0].RSS))

	out, err := exec.CommandContext(t.Context(), spool, append(few[1:], "--json")...).Output()
	require.NoError(t, err)
	assert.InDelta(t, costs[0].RSS, clitest.Summarized(t, string(out)).RSS, 20, "what the command itself says")
}
