package bench_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/bench"
)

func TestResultName(t *testing.T) {
	date := time.Date(2026, 11, 21, 23, 30, 0, 0, time.FixedZone("", -3600))
	assert.Equal(t, "2026-11-22-0030-0123456789", (&bench.Result{Date: date, Commit: "0123456789abcdef"}).Name())
	assert.Equal(t, "2026-11-22-0030-0123456789+", (&bench.Result{Date: date, Commit: "0123456789abcdef+changes"}).Name())
	assert.Equal(t, "2026-11-22-0030-unknown", (&bench.Result{Date: date, Commit: "unknown"}).Name())
}

func TestCommitOf(t *testing.T) {
	for version, commit := range map[string]string{
		"0123456789abcdef": "0123456789abcdef", "0123456789abcdef+changes": "0123456789abcdef+changes",
		"0.0.0+1928.gb79d6ea287": "b79d6ea287", "1.2.3": "1.2.3", "": "",
	} {
		assert.Equal(t, commit, bench.CommitOf(version))
	}
}

func TestBegin(t *testing.T) {
	r, err := bench.Begin([]byte(`{"spool":"0.0.0+1928.gb79d6ea287","go":"go1","versions":{"FFmpeg":"7.1"}}`))
	require.NoError(t, err)
	assert.Equal(t, "b79d6ea287", r.Commit)
	assert.Equal(t, bench.StaticBuild, r.Build)
	assert.Equal(t, map[string]string{"Go": "go1", "FFmpeg": "7.1"}, r.Versions)
	assert.WithinDuration(t, time.Now(), r.Date, time.Minute)
	r, err = bench.Begin([]byte(`{"packages":{"libvips":"8.14"}}`))
	require.NoError(t, err)
	assert.Equal(t, bench.SystemBuild, r.Build)
	_, err = bench.Begin([]byte("no"))
	require.ErrorContains(t, err, "no JSON object")
}

func TestReadAll(t *testing.T) {
	dir := t.TempDir()
	_, err := bench.ReadAll(dir)
	require.ErrorIs(t, err, fs.ErrNotExist)

	day := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	var want []*bench.Result
	for minutes := range 3 {
		r := &bench.Result{Date: day.Add(time.Duration(minutes) * time.Minute), Commit: "z", Machine: bench.ThisMachine(),
			Versions: map[string]string{"FFmpeg": "5.1"},
			Works: []bench.Comparison{{Work: bench.Work{Name: "images", Set: "s", Files: 300}, Verified: 3,
				Contestants: []bench.Summary{{Peer: "spool", Rate: 1.5}},
				Duels:       []bench.Duel{{Own: "spool", Other: "x", Ratio: 2, Goal: 1}},
				Pairs:       []bench.Pair{{Own: bench.Run{Peer: "spool", Rate: 1.5}, Other: bench.Run{Peer: "x"}}}}}}
		require.NoError(t, r.Write(filepath.Join(dir, r.Name()+".json")))
		want = append(want, r)
	}
	got, err := bench.ReadAll(dir)
	require.NoError(t, err)
	assert.Equal(t, want, got)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "broken.json"), []byte("{"), 0o600))
	_, err = bench.ReadAll(dir)
	require.ErrorContains(t, err, "broken.json")
}

func TestThisMachine(t *testing.T) {
	m := bench.ThisMachine()
	assert.NotEmpty(t, m.CPU)
	assert.NotEmpty(t, m.Kernel)
	assert.Positive(t, m.Cores)
}

func TestPairs(t *testing.T) {
	load := 0.0
	run := func(peer string, rate, cpu float64) bench.Run {
		load++ // runs with equal figures would count as one
		return bench.Run{Load: load, Peer: peer, Rate: rate, CPU: cpu, TTFB: rate / 1000, RSS: rate / 10}
	}
	pairs := []bench.Pair{
		{Own: run("spool", 1000, 1), Other: run("slow", 500, 4)},
		{Own: run("fast", 1500, 1), Other: run("slow", 500, 4)},
		{Own: bench.Run{Peer: "spool", Error: "gone"}, Other: run("slow", 1, 1)},
		{Own: run("spool", 900, 1), Other: bench.Run{Peer: "broken", Error: "no module"}},
		{Own: run("spool", 400, 2), Other: run("slow", 100, 5)}, // the machine was busy during both runs
	}
	assert.Equal(t, []bench.Summary{
		{Peer: "spool", Label: "ours", Rate: 900, TTFB: 0.9, CPU: 1, RSS: 90},
		{Peer: "slow", Label: "theirs", Rate: 300, TTFB: 0.3, CPU: 4, RSS: 30},
	}, bench.Summarize(pairs, []bench.Contestant{{"spool", "ours"}, {"slow", "theirs"}, {"broken", "?"}}))

	fought := bench.Duel{Own: "spool", Other: "slow", Goal: 3}.Fought(pairs)
	assert.Equal(t, bench.Duel{Own: "spool", Other: "slow", Goal: 3, Ratio: 3, CPURatio: 3.25, Low: 2, High: 4}, fought)
	assert.True(t, fought.Held())
	assert.False(t, bench.Duel{Own: "fast", Other: "slow", Goal: 3.1}.Fought(pairs).Held())
	never := bench.Duel{Own: "spool", Other: "broken", Goal: 0.1}.Fought(pairs)
	assert.Zero(t, never.Ratio)
	assert.False(t, never.Held())
}

// A run that several pairs share counts once.
func TestSharedRunsCountOnce(t *testing.T) {
	run := func(peer string, rate float64) bench.Run {
		return bench.Run{Peer: peer, Rate: rate, CPU: 1, Wall: 10 / rate}
	}
	pairs := []bench.Pair{{Own: run("spool", 10), Other: run("a", 1)}}
	for _, peer := range []string{"b", "c", "d", "e"} {
		pairs = append(pairs, bench.Pair{Own: run("spool", 30), Other: run(peer, 2)})
	}
	pairs = append(pairs, bench.Pair{Own: run("spool", 20), Other: run("a", 1)})
	assert.Equal(t, 20.0, bench.Summarize(pairs, []bench.Contestant{{"spool", ""}})[0].Rate)
}

// A dollar pays for 20 hours of a core, in which an item of a millisecond fits 72 million times.
func TestPrice(t *testing.T) {
	assert.InDelta(t, 72, bench.MillionsForADollar(1), 1e-9)
	assert.InDelta(t, 36, bench.MillionsForADollar(2), 1e-9)
	assert.Zero(t, bench.MillionsForADollar(0))
}

// What a run moves is summed up by medians, and results say which libraries were measured.
func TestMoved(t *testing.T) {
	run := func(peer string, read float64) bench.Run {
		return bench.Run{Peer: peer, Rate: read, CPU: 1, Moved: bench.Moved{Read: read, Out: 2 * read, Faults: 3 * read}}
	}
	var pairs []bench.Pair
	for _, read := range []float64{5, 9, 7} {
		pairs = append(pairs, bench.Pair{Own: run("spool", read), Other: run("x", 10*read)})
	}
	assert.Equal(t, bench.Moved{Read: 7, Out: 14, Faults: 21},
		bench.Summarize(pairs, []bench.Contestant{{"spool", ""}})[0].Moved)

	text, err := json.Marshal(bench.Result{Build: bench.StaticBuild,
		Works: []bench.Comparison{{Pairs: pairs[:1]}}})
	require.NoError(t, err)
	assert.Contains(t, string(text), `"build":"the wheel's libraries"`)
	assert.Contains(t, string(text), `"read_kb":5,"out_kb":10,"faults":15`)
}

// TestFiguresAreOfTheRuns: each recorded figure is the median of its recorded runs. In the oldest results, the cost of
// a GET has no runs, and is not published (TestPublishRefuses).
func TestFiguresAreOfTheRuns(t *testing.T) {
	all, err := bench.ReadAll("results")
	require.NoError(t, err)
	for _, r := range all {
		for _, c := range r.Works {
			if len(c.Pairs) == 0 {
				assert.Equal(t, bench.Requests, c.Work.Kind, "%s: %s has no runs", r.Name(), c.Work.Name)
				continue
			}
			contestants, duels := c.Figures()
			assert.Equal(t, contestants, c.Contestants, "%s: %s", r.Name(), c.Work.Name)
			assert.Equal(t, duels, c.Duels, "%s: %s", r.Name(), c.Work.Name)
		}
	}
}

// Figures are computed from the runs again. A contestant that failed in each run has none.
func TestFigures(t *testing.T) {
	run := func(peer string, rate float64) bench.Run { return bench.Run{Peer: peer, Rate: rate, CPU: 1} }
	c := bench.Comparison{
		Contestants: []bench.Summary{{Peer: "broken", Rate: 70, Error: "no GPU"},
			{Peer: "spool", Label: "ours", Rate: 1530, Setting: "w4"}},
		Duels: []bench.Duel{{Own: "spool", Other: "slow", Ratio: 9, Goal: 2}},
		Pairs: []bench.Pair{{Own: run("spool", 30), Other: run("slow", 10)}, {Own: run("spool", 20), Other: run("slow", 20)},
			{Own: run("spool", 10), Other: bench.Run{Peer: "broken", Error: "no GPU"}}},
	}
	contestants, duels := c.Figures()
	assert.Equal(t, []bench.Summary{{Peer: "broken", Error: "no GPU"},
		{Peer: "spool", Label: "ours", Rate: 20, CPU: 1, Setting: "w4"}}, contestants)
	assert.Equal(t, []bench.Duel{{Own: "spool", Other: "slow", Ratio: 2, CPURatio: 1, Low: 1, High: 3, Goal: 2}}, duels)
}

func TestMedian(t *testing.T) {
	values := []float64{5, 1, 3}
	assert.Equal(t, 3.0, bench.Median(values))
	assert.Equal(t, []float64{5, 1, 3}, values, "the caller's slice has been sorted")
	assert.Equal(t, 2.5, bench.Median([]float64{4, 1, 9, 0}))
	assert.Zero(t, bench.Median(nil))
}

func TestReadGo(t *testing.T) {
	const printed = `goos: linux
pkg: example.com/other
BenchmarkPhotos/decode-2   1   99 ns/op
PASS
pkg: example.com/bench
cpu: Some CPU
BenchmarkPhotos/decode/goroutines=1-2         	     378	   30 ns/op	       811.8 img/s	         1.5 x-floor
BenchmarkPhotos/decode/goroutines=1-2         	     378	   10 ns/op	       811.8 img/s	         1.25 x-floor
BenchmarkPhotos/decode/goroutines=1-2         	     378	   20 ns/op	       811.8 img/s	         1 x-floor
BenchmarkLoader	1	7 ns/op
some noise of four words
ok  	example.com/bench	26.314s
`
	got, err := bench.ReadGo(strings.NewReader(printed), "example.com/bench")
	require.NoError(t, err)
	assert.Equal(t, map[string]map[string]float64{
		"Photos/decode/goroutines=1": {"ns/op": 20, "img/s": 811.8, "x-floor": 1.25},
		"Loader":                     {"ns/op": 7},
	}, got)

	_, err = bench.ReadGo(strings.NewReader("pkg: p\nBenchmarkX 1 many ns/op\n"), "p")
	assert.Error(t, err)
}
