package pipe

import (
	"runtime"
	"sync"
	"time"
)

// phase is what a worker is doing.
type phase uint8

const (
	idle       phase = iota // not started, or gone
	working                 // in the stage's function; handing on without waiting counts as work
	waitingIn               // for an item
	waitingOut              // for room for its result
	resting                 // for CPU time
	phases
)

// ending is what became of an item at a stage.
type ending uint8

const (
	passed   ending = iota // done without failure
	failing                // it failed
	filtered               // dropped, and that was no failure
	endings
)

// meter is one worker's stopwatch. Each moment of the worker's life belongs to exactly one phase, and
// the clock is read only where the phase changes and once an item: that keeps it cheap.
//
// The worker alone writes, so the lock is uncontended but for a Report now and then.
type meter struct {
	mu      sync.Mutex
	epoch   time.Time // the run's start
	phase   phase
	since   time.Duration // when the phase began, or the last item ended
	spent   [phases]time.Duration
	item    time.Duration // at work on the item in hand; there may have been waits in between
	items   [endings]int64
	retries int64
	service Histogram
	work    assignment // what it is at work on, for the watch
}

// begin starts the stopwatch, at work.
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

// lap accounts for the time since the last one. The caller holds the lock.
func (m *meter) lap() {
	now := time.Since(m.epoch)
	d := now - m.since
	m.spent[m.phase] += d
	if m.phase == working {
		m.item += d
	}
	m.since = now
}

// wait waits on a condition, in the given phase.
func (m *meter) wait(p phase, c *sync.Cond) {
	m.enter(p)
	c.Wait()
	m.enter(working)
}

// yield lets others run, with the lock given up meanwhile, in place of a wait in the given phase. The worker
// has just finished something, so all the time since then counts as that wait.
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

// dropped counts an item that the end of the run took from the function.
func (m *meter) dropped() {
	m.mu.Lock()
	m.lap()
	m.item = 0
	m.items[filtered]++
	m.work.busy = false
	m.mu.Unlock()
}

// again counts a further try.
func (m *meter) again() {
	m.mu.Lock()
	m.retries++
	m.mu.Unlock()
}
