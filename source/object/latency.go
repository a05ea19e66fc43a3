package object

import (
	"slices"
	"sync"
	"time"
)

// latencies records how long recent answers took to begin.
type latencies struct {
	mu     sync.Mutex
	recent [256]time.Duration
	count  int // of all answers
	p50    time.Duration
	p95    time.Duration
	p99    time.Duration
}

const (
	toKnow = 16 // answers before there are quantiles
	anew   = 16 // answers between two updates: sorting 256 numbers takes some microseconds
)

func (l *latencies) add(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.recent[l.count%len(l.recent)] = d
	l.count++
	if l.count < toKnow || l.count%anew != 0 {
		return
	}
	sorted := slices.Clone(l.recent[:min(l.count, len(l.recent))])
	slices.Sort(sorted)
	at := func(share float64) time.Duration { return sorted[int(share*float64(len(sorted)-1)+0.5)] }
	l.p50, l.p95, l.p99 = at(0.5), at(0.95), at(0.99)
}

// quantiles returns zeros until there are enough answers.
func (l *latencies) quantiles() (p50, p95, p99 time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.p50, l.p95, l.p99
}

// late returns the time after which an answer is late: 1.25 times the 95th percentile, or zero for never. Most answers
// beyond the percentile come just after it. Hedges of these would use up the budget of hedges, one request in twenty.
func (l *latencies) late() time.Duration {
	_, p95, _ := l.quantiles()
	return p95 + p95/4
}
