package pipe_test

import (
	"context"
	"encoding/json"
	"os/exec"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/need"
	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/pipe/internal/meter"
)

// handOff passes n items through three stages that do nothing, with the settings s.
func handOff(tb testing.TB, n int, s pipe.Stage) {
	p := pipe.New(pipe.Options{})
	flow := pipe.FromSeq(p, "count", count(n))
	for _, name := range []string{"one", "two", "three"} {
		flow = pipe.Map(flow, name, s, same)
	}
	next := 0
	for i, err := range flow.All(context.Background()) {
		if err != nil || i != next {
			tb.Fatalf("got %d, %v instead of %d", i, err, next)
		}
		next++
	}
	if next != n {
		tb.Fatalf("got %d of %d items", next, n)
	}
}

func BenchmarkHandOff(b *testing.B) {
	for _, bench := range []struct {
		name  string
		stage pipe.Stage
	}{
		{"queue64", pipe.Stage{Queue: 64}},
		{"default", pipe.Stage{}},
		{"workers4", pipe.Stage{Workers: 4, Queue: 64}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			handOff(b, b.N, bench.stage)
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "items/s")
		})
	}
}

func TestHandOffDoesNotAllocate(t *testing.T) {
	const items = 100_000
	mallocs := func(n int) float64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		handOff(t, n, pipe.Stage{Workers: 2, Queue: 64})
		runtime.ReadMemStats(&after)
		return float64(after.Mallocs - before.Mallocs)
	}
	mallocs(1) // warm up
	set, all := mallocs(1), mallocs(items)
	t.Logf("%v allocations to set up, %v for %d items", set, all, items)
	require.Positive(t, set)
	assert.Less(t, (all-set)/items, 0.005, "allocations an item")
}

// TestHandOffAgainstSPDL measures SPDL with the same stages.
func TestHandOffAgainstSPDL(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), need.Peer(t, "spdl.pipeline"), "testdata/handoff_spdl.py").Output()
	require.NoError(t, err)
	var spdl struct{ Sync, Async float64 }
	require.NoError(t, json.Unmarshal(out, &spdl))
	ours := testing.Benchmark(func(b *testing.B) { handOff(b, b.N, pipe.Stage{Queue: 64}) })
	rate := float64(ours.N) / ours.T.Seconds()
	t.Logf("SPDL: functions %.0f items/s, coroutines %.0f; here %.0f, %.0f and %.0f times as many", spdl.Sync, spdl.Async,
		rate, rate/spdl.Sync, rate/spdl.Async)
	assert.Greater(t, rate, 500*spdl.Sync, "functions in workers, as here")
}

// BenchmarkStatistics measures the cost of one item's statistics at a stage: one clock reading and the histogram. For
// an item of 10 us this is less than 1 %.
func BenchmarkStatistics(b *testing.B) {
	var m meter.Meter
	m.Begin(time.Now())
	for b.Loop() {
		m.Done(meter.Passed)
	}
}
