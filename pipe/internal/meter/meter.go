package meter

import (
	"runtime"
	"sync"
	"time"

	"github.com/spoolmedia/spool/pipe/stats"
)

// Phase is what a worker is doing.
type Phase uint8

// Passing an item on without waiting counts as work.
const (
	Idle       Phase = iota // not started, or ended
	Working                 // in the stage's function
	WaitingIn               // for an item
	WaitingOut              // for room for its result
	Resting                 // for CPU time
	phases
)

// Ending is what happened to an item at a stage.
type Ending uint8

// The endings.
const (
	Passed   Ending = iota // done without failure
	Failed                 // it failed
	Filtered               // dropped without a failure
	endings
)

// Meter measures one worker's time. Each moment of the worker's life belongs to exactly one phase. To be cheap, it
// reads the clock only when the phase changes and once per item.
//
// Only the worker writes, so the lock is uncontended except during a report.
type Meter struct {
	Worker int // its number at the stage; set before the run

	mu      sync.Mutex
	epoch   time.Time // the run's start
	phase   Phase
	since   time.Duration // when the phase began, or the last item ended
	spent   [phases]time.Duration
	item    time.Duration // time at work on the current item; there may have been waits in between
	items   [endings]int64
	retries int64
	service *stats.Histogram // nil until an item is done: Auto has meters for many workers that never start
	work    assignment       // the item in work, for Watch
}

// Begin starts the meter, in the phase Working. epoch is the run's start.
func (m *Meter) Begin(epoch time.Time) {
	m.mu.Lock()
	m.epoch, m.phase = epoch, Working
	m.mu.Unlock()
}

// Enter begins a phase.
func (m *Meter) Enter(p Phase) {
	m.mu.Lock()
	m.lap()
	m.phase = p
	m.mu.Unlock()
}

// lap counts the time since the last lap. The caller has the lock.
func (m *Meter) lap() {
	now := time.Since(m.epoch)
	d := now - m.since
	m.spent[m.phase] += d
	if m.phase == Working {
		m.item += d
	}
	m.since = now
}

// Wait waits for a condition, in the given phase.
func (m *Meter) Wait(p Phase, c *sync.Cond) {
	m.Enter(p)
	c.Wait()
	m.Enter(Working)
}

// Yield releases the lock and lets other goroutines run, before a wait in the given phase. The worker has just finished
// something, so the whole time since then counts as that wait.
func (m *Meter) Yield(p Phase, l *sync.Mutex) {
	l.Unlock()
	runtime.Gosched()
	m.mu.Lock()
	m.phase = p
	m.lap()
	m.phase = Working
	m.mu.Unlock()
	l.Lock()
}

// Done counts an item that was worked on until now.
func (m *Meter) Done(e Ending) {
	m.mu.Lock()
	m.lap()
	if m.service == nil {
		m.service = new(stats.Histogram)
	}
	m.service.Add(m.item)
	m.item = 0
	m.items[e]++
	m.work.busy = false
	m.mu.Unlock()
}

// Interrupted counts an item whose function the end of the run interrupted. It counts as filtered, without a service
// time.
func (m *Meter) Interrupted() {
	m.mu.Lock()
	m.lap()
	m.item = 0
	m.items[Filtered]++
	m.work.busy = false
	m.mu.Unlock()
}

// Again counts a retry.
func (m *Meter) Again() {
	m.mu.Lock()
	m.retries++
	m.mu.Unlock()
}

// State returns the current phase, and the time of the run since when it lasts, or at which the last item ended.
func (m *Meter) State() (Phase, time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.phase, m.since
}

// Items returns the number of items, with any ending.
func (m *Meter) Items() (n int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, items := range m.items {
		n += items
	}
	return n
}

// Effort returns the time at work, the items done and their total service time.
func (m *Meter) Effort() (busy time.Duration, items int64, took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	busy = m.spent[Working]
	if m.phase == Working {
		busy += time.Since(m.epoch) - m.since
	}
	if m.service == nil {
		return busy, 0, 0
	}
	return busy, m.service.Count(), m.service.Sum()
}
