package helper

import (
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// limit kills the process once it has taken so much time of a processor, or ten times as much on the clock. stop ends
// this.
func (h *process) limit(cpu time.Duration) (stop func()) {
	begin, used, waited := time.Now(), h.cpuTime(), h.waits.total()
	var mu sync.Mutex
	var timer *time.Timer
	stopped := false
	check := func() {
		mu.Lock()
		defer mu.Unlock()
		left := cpu - (h.cpuTime() - used)
		switch {
		case stopped:
		case left <= 0 || time.Since(begin)-(h.waits.total()-waited) > 10*cpu:
			h.tired.Store(true)
			h.kill()
		default:
			timer.Reset(left)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	timer = time.AfterFunc(cpu, check)
	return func() {
		mu.Lock()
		defer mu.Unlock()
		stopped = true
		timer.Stop()
	}
}

// waits is the time that a helper has waited for this process.
type waits struct {
	mu    sync.Mutex
	done  time.Duration
	since time.Time // zero if it does not wait
}

func (w *waits) begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.since = time.Now()
}

func (w *waits) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.done += time.Since(w.since)
	w.since = time.Time{}
}

func (w *waits) total() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.since.IsZero() {
		return w.done
	}
	return w.done + time.Since(w.since)
}

// cpuTime is the time of processors that the process has taken. It is 0 if the process has ended.
func (h *process) cpuTime() time.Duration {
	var now unix.Timespec
	const processClock = 2 // of another process, as clock_getcpuclockid makes it
	if err := unix.ClockGettime(int32(^h.command.Process.Pid<<3|processClock), &now); err != nil {
		return 0
	}
	return time.Duration(now.Nano())
}
