package tune

import (
	"slices"
	"time"

	"github.com/spoolmedia/spool/pipe/internal/meter"
)

// Reading is the state of clocks and meters at a time of the run.
type Reading struct {
	At   time.Duration
	CPU  time.Duration // of the process
	Shut time.Duration // in which no work was begun because of the share of CPU time
	Of   []Effort      // of the stages, then of the consumer
}

// Effort is what the workers of a stage did.
type Effort struct {
	Workers int
	Busy    time.Duration // total time at work
	Items   int64         // items done
	Took    time.Duration // total service time
}

// Add adds what a worker has done.
func (e *Effort) Add(m *meter.Meter) {
	busy, items, took := m.Effort()
	e.Busy += busy
	e.Items += items
	e.Took += took
}

// window is the difference of two readings.
type window Reading

func (r Reading) since(e Reading) window {
	w := window{At: r.At - e.At, CPU: r.CPU - e.CPU, Shut: r.Shut - e.Shut, Of: slices.Clone(r.Of)}
	for i, x := range e.Of {
		w.Of[i].Busy -= x.Busy
		w.Of[i].Items -= x.Items
		w.Of[i].Took -= x.Took
	}
	return w
}

// service returns the mean service time in seconds; 0 if no item was done.
func (w window) service(stage int) float64 {
	return w.Of[stage].Took.Seconds() / float64(max(w.Of[stage].Items, 1))
}

// rate returns a stage's throughput by Little's law: workers at work over the service time. A count would have an error
// by the items in work at both ends of the window.
func (w window) rate(stage int) float64 {
	return w.Of[stage].Busy.Seconds() / w.At.Seconds() / max(w.service(stage), 1e-9)
}

// occupancy returns the occupancy of a stage, or of the consumer.
func (w window) occupancy(stage int) float64 {
	e := w.Of[stage]
	return e.Busy.Seconds() / w.At.Seconds() / float64(max(e.Workers, 1))
}

// cores returns how many cores the process kept busy.
func (w window) cores() float64 { return w.CPU.Seconds() / w.At.Seconds() }
