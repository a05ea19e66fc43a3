package tune

import (
	"fmt"
	"math"
	"time"
)

// Measurements of the tuner have an error of some percent. So a move is kept only if it gains more than that, and a
// change only counts if it is far larger.
const (
	// The length of a measurement.
	shortest     = 200 * time.Millisecond   // if the busiest stage has enough items
	steadyLength = time.Second              // with fewer items, or while no move can gain
	longest      = 12800 * time.Millisecond // after several moves without gain
	enough       = 64                       // items

	// A move, a change of a stage's number of workers.
	doubling = 2.   // its maximum factor
	worth    = 1.05 // the gain in throughput for which it is kept

	// The occupancy of a stage.
	limiting = 0.5 // at least: it may be the bottleneck, as in a verdict
	loaded   = 0.8 // at least: it may be the next bottleneck
	slack    = 0.2 // at most: it has too many workers

	// The change of a known result.
	drifted     = 1.5         // ratio of service times, or of throughputs, that counts as a change
	confirmed   = 3           // consecutive measurements that must agree
	retestAfter = time.Minute // time until a known result is tested again, which doubles each time
)

// Tuner finds the numbers of workers of the Auto stages, by hill climbing on measured throughputs, one stage at a time.
//
// All stages begin with their minimum. The busiest one gets as many more workers as can be useful: cores are finite,
// and the consumer and stages of fixed size have their limits. The move is kept if the stage's throughput rises, or if
// another stage is then the bottleneck, which is next.
//
// Otherwise the move is undone. The throughput after that is compared as well, because the machine may have been slower
// for a moment. If the move gained nothing, the stage's ceiling comes down to its current number. If the throughput
// differed, it comes down half-way, because the best number may be in between. After a move that is undone,
// measurements take twice as long. After one with a large gain, they take half as long.
//
// This converges: while nothing changes, a stage only grows, until it reaches a ceiling that only comes down. Ceilings
// rise after a gain, which happens finitely often, and after a change of service times. Because a measurement may have
// been wrong, they also rise after one minute, two more, four, and so on. A stage loses workers at an occupancy far
// below that at which it gets more.
type Tuner struct {
	stages []Stage
	move   func(stage, to int, reason string)
	tell   func(string)
	cores  float64 // cores that may be used
	tops   []int   // ceilings of the stages

	// The current measurement.
	from    Reading
	settled time.Duration // end of the pause after the last move, in the time of the run
	length  time.Duration // minimum length of a measurement
	noise   float64       // difference of two measurements of the same

	// The move that is to be judged.
	trial  int     // its stage; -1 for none
	before window  // measured before it
	undone window  // measured with it, if it was undone; else zero
	hope   float64 // its largest possible gain, as a ratio of throughputs

	// Known results.
	holding bool          // no known move would gain
	known   window        // measured when the effect of a move was last found
	other   int           // consecutive measurements since then that differed
	again   time.Duration // time of the next test, from the start of the run
	wait    time.Duration // time between the last test and that

	idle []int // by stage: consecutive measurements in which it had too many workers
}

// Stage is a stage of the pipeline that is tuned.
type Stage struct {
	Name        string
	Auto        bool // its number of workers may change
	Least, Most int  // numbers of workers
}

// New returns a tuner of stages that may use a number of cores. It calls move to change a stage's workers, and tell
// with its state.
func New(stages []Stage, cores float64, move func(stage, to int, reason string), tell func(string)) *Tuner {
	t := &Tuner{stages: stages, move: move, tell: tell, cores: cores, trial: -1,
		length: shortest, wait: retestAfter, again: retestAfter,
		tops: make([]int, len(stages)), idle: make([]int, len(stages))}
	t.reopen(window{})
	return t
}

// reopen lets all stages grow again.
func (t *Tuner) reopen(w window) {
	for i, s := range t.stages {
		t.tops[i] = s.Most
	}
	t.known, t.other = w, 0
}

// Look is called regularly, and changes workers when enough has been measured.
func (t *Tuner) Look(r Reading) {
	if r.At < t.settled || t.from.Of == nil {
		t.from = r
		return
	}
	w := r.since(t.from)
	if !t.enough(w) {
		return
	}
	t.from = r
	if t.trial < 0 {
		t.compare(w)
	} else if !t.judge(w) {
		return // the current state was not measured yet
	}
	t.holding = !t.grow(w)
	if t.holding {
		t.shrink(w)
	}
}

// enough reports whether a window is long enough to be meaningful.
func (t *Tuner) enough(w window) bool {
	for i, s := range t.stages {
		if s.Auto && w.occupancy(i) >= limiting && w.Of[i].Items < int64(w.Of[i].Workers) {
			return false
		}
	}
	if least := max(steadyLength, t.length); w.At >= least || t.holding {
		return w.At >= least
	}
	busiest := t.busiest(w, limiting)
	return w.At >= t.length && busiest >= 0 && w.Of[busiest].Items >= enough
}

// busiest returns the stage with the highest occupancy among the stages that may grow. It returns -1 if none reaches
// least.
func (t *Tuner) busiest(w window, least float64) int {
	busiest := -1
	for i, s := range t.stages {
		if o := w.occupancy(i); s.Auto && w.Of[i].Workers < t.tops[i] && o >= least {
			busiest, least = i, o
		}
	}
	return busiest
}

// grow gives the bottleneck more workers, if that may raise the throughput.
func (t *Tuner) grow(w window) bool {
	gain, why := doubling, ""
	limit := func(g float64, format string, args ...any) {
		if g < gain {
			gain, why = g, fmt.Sprintf(format, args...)
		}
	}
	limit(t.cores/max(w.cores(), 1e-9), "the process uses %.2f of %.2f cores", w.cores(), t.cores)
	if w.Shut > 0 {
		limit(1, "the process uses all of its share, %.2f cores", t.cores)
	}
	for i := range w.Of {
		name := "the consumer"
		if i < len(t.stages) {
			name = t.stages[i].Name
		}
		if o := w.occupancy(i); i == len(t.stages) || !t.stages[i].Auto {
			limit(1/max(o, 1e-9), "%s is at work %s of the time", name, percent(o))
		}
	}
	i := t.busiest(w, limiting)
	if i < 0 && gain >= worth {
		why = t.full(w)
	}
	if i < 0 || gain < worth {
		t.tell(why)
		return false
	}
	to := min(int(math.Ceil(float64(w.Of[i].Workers)*gain)), t.tops[i])
	t.trial, t.before, t.hope = i, w, min(gain, float64(to)/float64(w.Of[i].Workers))
	t.tell(fmt.Sprintf("%s is tried with %d workers", t.stages[i].Name, to))
	t.shift(i, to, w, "at work %s of the time", percent(w.occupancy(i)))
	return true
}

// full returns why no stage may grow.
func (t *Tuner) full(w window) string {
	for i, s := range t.stages {
		switch {
		case !s.Auto || w.occupancy(i) < limiting:
		case w.Of[i].Workers == s.Most:
			return s.Name + " has as many workers as it may have"
		default:
			return "more workers of " + s.Name + " brought nothing"
		}
	}
	return "none of its stages limits"
}

// judge keeps the move on trial and returns true, or undoes it and returns false.
func (t *Tuner) judge(w window) bool {
	i, had := t.trial, t.before.Of[t.trial].Workers
	if t.undone.Of != nil {
		t.trial = -1
		t.close(i, t.undone, w)
		return true
	}
	gain := w.rate(i) / t.before.rate(i)
	if gain >= t.worth() {
		t.trial = -1
		top := t.tops[i]
		t.reopen(w)
		t.wait, t.again = retestAfter, t.from.At+retestAfter
		if gain-1 >= (t.hope-1)/2 {
			t.length = max(t.length/2, shortest)
		} else {
			t.tops[i] = top
		}
		return true
	}
	if next := t.busiest(w, loaded); next >= 0 && next != i {
		t.trial = -1
		return true
	}
	t.undone, t.length = w, min(2*t.length, longest)
	t.shift(i, had, w, "the rate of %d was %.2f times that of %d", w.Of[i].Workers, gain, had)
	return false
}

// worth returns the gain that a move must have: more than noise, or a quarter of the possible gain.
func (t *Tuner) worth() float64 { return max(worth, 1+min(2*t.noise, (t.hope-1)/4)) }

// close lowers a stage's ceiling if the throughput with the move was not better than before and after it.
func (t *Tuner) close(i int, with, after window) {
	t.undone, t.known, t.other = window{}, after, 0
	change := after.rate(i) / t.before.rate(i)
	gain := with.rate(i) / math.Sqrt(t.before.rate(i)*after.rate(i))
	t.noise = math.Abs(change - 1)
	if gain >= t.worth() || isOther(change) {
		return // it is to be tried again, for longer
	}
	had := after.Of[i].Workers
	t.tops[i] = had
	if half := (with.Of[i].Workers - had) / 2; half >= had/4 && (gain >= worth || gain <= 1/worth) {
		t.tops[i] += half // a step of less than a quarter makes no measurable difference
	}
}

// shrink removes workers that have had nothing to do for some time.
func (t *Tuner) shrink(w window) {
	for i, s := range t.stages {
		o := w.occupancy(i)
		if !s.Auto || o >= slack || w.Of[i].Workers == s.Least {
			t.idle[i] = 0
		} else if t.idle[i]++; t.idle[i] >= confirmed {
			t.idle[i] = 0
			to := o * float64(w.Of[i].Workers) * 2 / (slack + limiting) // between both thresholds
			t.shift(i, max(int(math.Ceil(to)), s.Least), w, "at work %s of the time", percent(o))
		}
	}
}

// compare lets stages grow again when service times have changed for some time, or when known results are to be tested
// again.
func (t *Tuner) compare(w window) {
	other := false
	for i, known := range t.known.Of {
		if known.Items > 0 && w.Of[i].Items > 0 && max(w.occupancy(i), t.known.occupancy(i)) >= slack {
			other = other || isOther(w.service(i)/t.known.service(i))
		}
	}
	if t.other++; !other {
		t.other = 0
	}
	due := t.from.At >= t.again
	if due {
		t.wait *= 2
		t.again = t.from.At + t.wait
	}
	if due || t.other >= confirmed {
		t.reopen(w)
	}
}

// isOther reports whether two times or throughputs with that ratio are of different work.
func isOther(ratio float64) bool { return ratio > drifted || ratio < 1/drifted }

// shift changes a stage's workers, and gives them time for the items that they have begun.
func (t *Tuner) shift(stage, to int, w window, why string, args ...any) {
	t.move(stage, to, fmt.Sprintf(why, args...))
	pause := time.Duration(2 * w.service(stage) * float64(time.Second))
	t.settled = t.from.At + min(max(pause, LookEvery), steadyLength)
}

func percent(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) }
