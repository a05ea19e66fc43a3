package pipe_test

import (
	"context"
	"iter"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/pipe"
)

// machine is one of simulated time: work takes turns on its cores, as threads do, a millisecond at a time.
type machine struct {
	cores chan struct{}
	used  atomic.Int64
}

func newMachine(cores int) *machine { return &machine{cores: make(chan struct{}, cores)} }

func (m *machine) cpu() time.Duration { return time.Duration(m.used.Load()) }

// work is CPU time; a wait is time.Sleep.
func (m *machine) work(d time.Duration) {
	for d > 0 {
		slice := min(d, time.Millisecond)
		m.cores <- struct{}{}
		time.Sleep(slice)
		<-m.cores
		m.used.Add(int64(slice))
		d -= slice
	}
}

// task is a stage's function that takes so much, and says so anew for each item.
func task(f func()) func(context.Context, int) (int, error) {
	return func(_ context.Context, n int) (int, error) {
		f()
		return n, nil
	}
}

func forever(yield func(int) bool) {
	for n := 0; yield(n); n++ { //nolint:revive // the body is the condition
	}
}

// tuned runs a pipeline of the tasks for some time and gives the rate of the last of several stretches, and the
// reports at their ends.
func tuned(t *testing.T, m *machine, o pipe.Options, workers []int, stretches []time.Duration, tasks ...func()) (rate float64, reports []pipe.Report) {
	t.Helper()
	p := pipe.New(o)
	p.OnMachine(cap(m.cores), m.cpu)
	flow := pipe.FromSeq(p, "list", iter.Seq[int](forever))
	for i, f := range tasks {
		flow = pipe.Map(flow, string(rune('a'+i)), pipe.Stage{Workers: workers[i]}, task(f))
	}
	start, items, next := time.Now(), 0, 0
	for n, err := range flow.All(t.Context()) {
		require.NoError(t, err)
		require.Equal(t, next, n)
		next++
		items++
		if d := time.Since(start); d >= stretches[0] {
			rate = float64(items) / d.Seconds()
			reports = append(reports, p.Report())
			start, items, stretches = time.Now(), 0, stretches[1:]
			if len(stretches) == 0 {
				break
			}
		}
	}
	return rate, reports
}

// sweep is the best rate of all fixed settings, each tried for a while.
func sweep(t *testing.T, cores int, o pipe.Options, most []int, tasks func(*machine) []func()) (best float64, setting []int) {
	t.Helper()
	var try func(setting []int)
	try = func(s []int) {
		if len(s) < len(most) {
			for w := 1; w <= most[len(s)]; w *= 2 {
				try(append(s[:len(s):len(s)], w))
			}
			return
		}
		m := newMachine(cores)
		if rate, _ := tuned(t, m, o, s, []time.Duration{time.Second, 4 * time.Second}, tasks(m)...); rate > best {
			best, setting = rate, s
		}
	}
	try(nil)
	return best, setting
}

// Within ten seconds Auto is at 0.95 of the best fixed setting, and then it stays where it is.
func TestAutoFindsTheBest(t *testing.T) {
	ms := time.Millisecond
	for _, test := range []struct {
		name  string
		cores int
		share float64
		most  []int // of the sweep
		tasks func(m *machine) []func()
	}{
		{"one that computes", 4, 0, []int{8}, func(m *machine) []func() {
			return []func(){func() { m.work(8 * ms) }}
		}},
		{"one that waits", 2, 0, []int{64}, func(*machine) []func() {
			return []func(){func() { time.Sleep(50 * ms) }}
		}},
		{"two that wait alike", 2, 0, []int{64, 64}, func(*machine) []func() {
			return []func(){func() { time.Sleep(30 * ms) }, func() { time.Sleep(30 * ms) }}
		}},
		{"one that waits and one that computes", 4, 0, []int{64, 8}, func(m *machine) []func() {
			return []func(){func() { time.Sleep(40 * ms) }, func() { m.work(5 * ms) }}
		}},
		{"two heavy ones", 8, 0, []int{16, 16}, func(m *machine) []func() {
			return []func(){func() { m.work(10 * ms) }, func() { m.work(15 * ms) }}
		}},
		{"two heavy ones, in a share", 8, 0.4, []int{8, 8}, func(m *machine) []func() {
			return []func(){func() { m.work(10 * ms) }, func() { m.work(15 * ms) }}
		}},
		{"one in a share of less than a core", 2, 0.4, []int{4}, func(m *machine) []func() {
			return []func(){func() { m.work(8 * ms) }}
		}},
		{"a disk that suffers from crowds", 4, 0, []int{16}, func(*machine) []func() {
			var crowd atomic.Int64
			return []func(){func() {
				n := time.Duration(crowd.Add(1))
				time.Sleep(10*ms + n*n*ms/4) // best at 6
				crowd.Add(-1)
			}}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := pipe.Options{CPUShare: test.share}
				best, setting := sweep(t, test.cores, o, test.most, test.tasks)
				m := newMachine(test.cores)
				auto := make([]int, len(test.most))
				for i := range auto {
					auto[i] = pipe.Auto
				}
				rate, reports := tuned(t, m, o, auto, []time.Duration{10 * time.Second, 10 * time.Second, 40 * time.Second}, test.tasks(m)...)
				last := reports[2]
				t.Logf("%.1f/s of %.1f/s with %v", rate, best, setting)
				for _, m := range last.Moves {
					t.Logf("%v", m)
				}
				t.Log(last.Verdict)
				assert.GreaterOrEqual(t, rate, 0.95*best)
				assert.Equal(t, len(reports[0].Moves), len(last.Moves), "no moves after ten seconds")
			})
		})
	}
}
