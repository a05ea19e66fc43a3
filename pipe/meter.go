package pipe

import (
	"runtime"
	"sync"
	"time"
)

// phase is what a worker is doing.
type phase uint8

const (
	idle       phase = iota // not started, or ended
	working                 // in the stage's function; passing on without waiting counts as work
	waitingIn               // for an item
	waitingOut              // for room for its result
	resting                 // for CPU time
	phases
)

// ending is what happened to an item at a stage.
type ending uint8

const (
	passed   ending = iota // done without failure
	failing                // it failed
	filtered               // dropped without a failure
	endings
)

// meter measures one worker's time. Each moment of the worker's life belongs to exactly one phase. To be cheap, it
// reads the clock only when the phase changes and once per item.
//
// Only the worker writes, so the lock is uncontended except during a Report.
type meter struct {
	mu      sync.Mutex
	epoch   time.Time // the run's start
	phase   phase
	since   time.Duration // when the phase began, or the last item ended
	spent   [phases]time.Duration
	item    time.Duration // time at work on the current item; there may have been waits in between
	items   [endings]int64
	retries int64
	service Histogram
	work    assignment // the item in work, for Watch
}

// begin starts the meter, in the phase working.
func (m *meter) begin(epoch time.Time) {
	m.mu.Lock()
	m.epoch, m.phase = epoch, working
	m.mu.Unlock()
}

// enter begins a phase.
func (m *meter) enter(p phase) {
	m.mu.Lock()
	m.lap()
	m.phase = p
	m.mu.Unlock()
}

// lap counts the time since the last lap. The caller has the lock.
func (m *meter) lap() {
	now := time.Since(m.epoch)
	d := now - m.since
	m.spent[m.phase] += d
	if m.phase == working {
		m.item += d
	}
	m.since = now
}

// wait waits for a condition, in the given phase.
func (m *meter) wait(p phase, c *sync.Cond) {
	m.enter(p)
	c.Wait()
	m.enter(working)
}

// yield releases the lock and lets other goroutines run, before a wait in the given phase. The worker has just finished
// something, so the whole time since then counts as that wait.
func (m *meter) yield(p phase, l *sync.Mutex) {
	l.Unlock()
	runtime.Gosched()
	m.mu.Lock()
	m.phase = p
	m.lap()
	m.phase = working
	m.mu.Unlock()
	l.Lock()
}

// done counts an item that was worked on until now.
func (m *meter) done(e ending) {
	m.mu.Lock()
	m.lap()
	m.service.add(m.item)
	m.item = 0
	m.items[e]++
	m.work.busy = false
	m.mu.Unlock()
}

// dropped counts an item whose function the end of the run interrupted.
func (m *meter) dropped() {
	m.mu.Lock()
	m.lap()
	m.item = 0
	m.items[filtered]++
	m.work.busy = false
	m.mu.Unlock()
}

// again counts a retry.
func (m *meter) again() {
	m.mu.Lock()
	m.retries++
	m.mu.Unlock()
}
