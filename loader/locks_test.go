package loader_test

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/source"
)

// lockWaits returns the seconds that goroutines have waited for locks so far, by the function that held the lock
// (profile mutex) or waited for it (profile block). Waits that are not for locks are left out.
func lockWaits(t testing.TB, profile string) map[string]float64 {
	t.Helper()
	var text bytes.Buffer
	require.NoError(t, pprof.Lookup(profile).WriteTo(&text, 1))
	waits := map[string]float64{}
	perSecond, ticks, lock := 0.0, 0.0, false
	for line := range strings.Lines(text.String()) {
		if _, err := fmt.Sscanf(line, "cycles/second=%f", &perSecond); err == nil {
			continue
		}
		if !strings.HasPrefix(line, "#") { // a stack, whose frames follow, the innermost first
			lock = profile == "mutex"
			if _, err := fmt.Sscanf(line, "%f", &ticks); err != nil {
				ticks = 0
			}
			continue
		}
		frame := strings.Fields(line)
		function, _, _ := strings.Cut(frame[min(2, len(frame)-1)], "+")
		lock = lock || strings.Contains(function, "Mutex).")
		inner := strings.HasPrefix(function, "sync.") || strings.HasPrefix(function, "internal/sync.")
		if !inner && lock && ticks > 0 {
			waits[function] += ticks / perSecond
		}
		if !inner {
			ticks = 0
		}
	}
	return waits
}

// BenchmarkLocks loads photos with 64 workers while all waits for locks are recorded. It reports the waits as a share
// of the workers' time: for the worst place of the code, and in total, by the holders' profile and by the waiters'.
func BenchmarkLocks(b *testing.B) {
	const workers = 64
	src := source.Files(repeated(photoFiles(b), 3000)...)
	defer runtime.SetMutexProfileFraction(runtime.SetMutexProfileFraction(1))
	runtime.SetBlockProfileRate(1)
	defer runtime.SetBlockProfileRate(0)
	profiles := []string{"mutex", "block"}
	before := map[string]map[string]float64{}
	for _, p := range profiles {
		before[p] = lockWaits(b, p)
	}
	var took time.Duration
	for b.Loop() {
		start := time.Now()
		waits(b, src, loader.Options{Workers: workers}, -1)
		took += time.Since(start)
	}
	for _, p := range profiles {
		after, total, worst := lockWaits(b, p), 0.0, 0.0
		for function, seconds := range after {
			after[function] = 100 * (seconds - before[p][function]) / (workers * took.Seconds())
			total, worst = total+after[function], max(worst, after[function])
		}
		for _, function := range slices.SortedFunc(maps.Keys(after), func(x, y string) int {
			return cmp.Compare(after[y], after[x])
		})[:min(5, len(after))] {
			b.Logf("%s: %.4f %% in %s", p, after[function], function)
		}
		b.ReportMetric(worst, p+"-worst-%")
		b.ReportMetric(total, p+"-total-%")
	}
	b.ReportMetric(0, "ns/op")
}
