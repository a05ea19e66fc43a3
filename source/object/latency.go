package object

import (
	"slices"
	"sync"
	"time"
)

// latencies remembers how long recent answers took to begin.
type latencies struct {
	mu     sync.Mutex
	recent [256]time.Duration
	count  int // ever
	p50    time.Duration
	p95    time.Duration
	p99    time.Duration
}

const (
	toKnow = 16 // answers before anything is said of them
	anew   = 16 // answers between two looks: sorting 256 numbers takes some microseconds
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

// quantiles are zero until there are enough answers.
func (l *latencies) quantiles() (p50, p95, p99 time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.p50, l.p95, l.p99
}

// late is after how long an answer is late: a quarter more than 95 of 100 took. A twentieth of all answers
// comes after the p95 itself, most of them just after: to ask again for these would use up what the budget of requests
// has for those that are really late. Zero is never.
func (l *latencies) late() time.Duration {
	_, p95, _ := l.quantiles()
	return p95 + p95/4
}
