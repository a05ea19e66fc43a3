package pipe

import (
	"fmt"
	"math"
	"time"
)

// What the tuner measures has an error of some percent. So what is kept has to bring more than that, and
// what counts as a change is far more.
const (
	shortest  = 200 * time.Millisecond   // measurement
	calm      = time.Second              // measurement while nothing is to be gained, or for the sake of enough items
	longest   = 12800 * time.Millisecond // measurement, after several that were in vain
	enough    = 64                       // items of the busiest stage
	doubling  = 2.                       // most of a move
	worth     = 1.05                     // gain in rate for which a move is kept
	loaded    = 0.8                      // occupancy of a stage that may be what limits now
	slack     = 0.2                      // occupancy of a stage that has too many workers
	drifted   = 1.5                      // ratio of service times, or of rates, that are others
	confirmed = 3                        // measurements in a row that have to say so
	patience  = time.Minute              // after which it is asked again what was found, and twice as long each time
)

// tuner finds the numbers of workers of the stages that are Auto, by hill climbing on measured rates, one
// stage at a time.
//
// All begin with the fewest they may have. The busiest gets more, as many as can be of use: cores are
// finite, and the consumer and stages of fixed size have their limits. The move is kept if the stage's rate
// rises, or if another stage limits now, which is next then. Else it is undone, and what comes afterwards
// is compared, too, because the machine may have been slower for a moment. If the move has brought nothing,
// the stage's ceiling comes down: to what it has, or half-way if the rate differed, because the best may lie
// between. After a move that is undone, measurements take twice as long, after one that has brought much
// half as long.
//
// So it converges: as long as nothing changes, a stage only grows, and is stopped by a ceiling that only
// comes down. Ceilings rise when a move has brought something, of which there are finitely many, and when
// service times have become others; and, because a measurement may have been wrong, after a minute, after
// two more, four, and so on. A stage is taken workers away at an occupancy far below that at which it gets
// more.
type tuner struct {
	p     *Pipeline
	cores float64 // that may be used
	tops  []int   // ceilings of the stages

	from    reading
	settled time.Duration // of the run: until then, what is measured is of before the last move
	holding bool          // nothing is to be gained, for all that is known
	trial   int           // the stage whose move is to be judged, -1 for none
	before  window        // the move
	hope    float64       // what it may bring, as a ratio of rates
	undone  window        // the move, if it has been undone and is still to be judged; else nothing
	length  time.Duration // of a measurement, at least
	noise   float64       // by how much two measurements of the same have differed

	known window        // when it was last found what a move brings
	other int           // measurements since then that were different, in a row
	again time.Duration // of the run, when it is asked again
	wait  time.Duration // from the last time until then
	idle  []int         // measurements of stages with too many workers, in a row
}

func newTuner(p *Pipeline) *tuner {
	t := &tuner{p: p, cores: float64(p.cores), trial: -1, length: shortest, wait: patience, again: patience, tops: make([]int, len(p.stages)), idle: make([]int, len(p.stages))}
	if p.options.CPUShare > 0 {
		t.cores *= p.options.CPUShare
	}
	t.reopen(window{})
	return t
}

// reopen lets all stages grow again.
func (t *tuner) reopen(w window) {
	for i, s := range t.p.stages {
		t.tops[i] = len(s.meters)
	}
	t.known, t.other = w, 0
}

// look is called every now and then, and moves workers when enough has been measured.
func (t *tuner) look(r reading) {
	if r.at < t.settled || t.from.of == nil {
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
		return // what is now has not been measured
	}
	t.holding = !t.grow(w)
	if t.holding {
		t.shrink(w)
	}
}

// enough says whether a window means something.
func (t *tuner) enough(w window) bool {
	for i, s := range t.p.stages {
		if s.spare != nil && w.occupancy(i) >= limiting && w.of[i].items < int64(w.of[i].workers) {
			return false
		}
	}
	if least := max(calm, t.length); w.at >= least || t.holding {
		return w.at >= least
	}
	busiest := t.busiest(w, limiting)
	return w.at >= t.length && busiest >= 0 && w.of[busiest].items >= enough
}

// busiest is the stage with the highest occupancy of those that may grow, -1 if none has as much as least.
func (t *tuner) busiest(w window, least float64) int {
	busiest := -1
	for i, s := range t.p.stages {
		if o := w.occupancy(i); s.spare != nil && w.of[i].workers < t.tops[i] && o >= least {
			busiest, least = i, o
		}
	}
	return busiest
}

// grow gives the stage that limits more workers, if something is to be gained by it.
func (t *tuner) grow(w window) bool {
	gain, why := doubling, ""
	limit := func(g float64, format string, args ...any) {
		if g < gain {
			gain, why = g, fmt.Sprintf(format, args...)
		}
	}
	limit(t.cores/max(w.cores(), 1e-9), "the process uses %.2f of %.2f cores", w.cores(), t.cores)
	if w.shut > 0 {
		limit(1, "the process uses all of its share, %.2f cores", t.cores)
	}
	for i := range w.of {
		name := "the consumer"
		if i < len(t.p.stages) {
			name = t.p.stages[i].name
		}
		if o := w.occupancy(i); i == len(t.p.stages) || t.p.stages[i].spare == nil {
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
	to := min(int(math.Ceil(float64(w.of[i].workers)*gain)), t.tops[i])
	t.trial, t.before, t.hope = i, w, min(gain, float64(to)/float64(w.of[i].workers))
	t.tell(fmt.Sprintf("%s is tried with %d workers", t.p.stages[i].name, to))
	t.move(i, to, w, "at work %s of the time", percent(w.occupancy(i)))
	return true
}

// full says why no stage may grow.
func (t *tuner) full(w window) string {
	for i, s := range t.p.stages {
		switch {
		case s.spare == nil || w.occupancy(i) < limiting:
		case w.of[i].workers == len(s.meters):
			return s.name + " has as many workers as it may have"
		default:
			return "more workers of " + s.name + " brought nothing"
		}
	}
	return "none of its stages limits"
}

// judge keeps the move on trial, or undoes it, which is false.
func (t *tuner) judge(w window) bool {
	i, had := t.trial, t.before.of[t.trial].workers
	if t.undone.of != nil {
		t.trial = -1
		t.close(i, t.undone, w)
		return true
	}
	gain := w.rate(i) / t.before.rate(i)
	if gain >= t.worth() {
		t.trial = -1
		top := t.tops[i]
		t.reopen(w)
		t.wait, t.again = patience, t.from.at+patience
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
	t.move(i, had, w, "the rate of %d was %.2f times that of %d", w.of[i].workers, gain, had)
	return false
}

// worth is what a move has to bring: more than noise, or a quarter of what it may.
func (t *tuner) worth() float64 { return max(worth, 1+min(2*t.noise, (t.hope-1)/4)) }

// close brings a stage's ceiling down if with is no better than it was without, before and after.
func (t *tuner) close(i int, with, after window) {
	t.undone, t.known, t.other = window{}, after, 0
	change := after.rate(i) / t.before.rate(i)
	gain := with.rate(i) / math.Sqrt(t.before.rate(i)*after.rate(i))
	t.noise = math.Abs(change - 1)
	if gain >= t.worth() || isOther(change) {
		return // it is to be tried again, for longer
	}
	had := after.of[i].workers
	t.tops[i] = had
	if half := (with.of[i].workers - had) / 2; half >= had/4 && (gain >= worth || gain <= 1/worth) {
		t.tops[i] += half // a step of less than a quarter makes no difference that can be measured
	}
}

// shrink takes workers away that have had nothing to do for some time.
func (t *tuner) shrink(w window) {
	for i, s := range t.p.stages {
		o := w.occupancy(i)
		if s.spare == nil || o >= slack || w.of[i].workers == s.least {
			t.idle[i] = 0
		} else if t.idle[i]++; t.idle[i] >= confirmed {
			t.idle[i] = 0
			to := o * float64(w.of[i].workers) * 2 / (slack + limiting) // between both
			t.move(i, max(int(math.Ceil(to)), s.least), w, "at work %s of the time", percent(o))
		}
	}
}

// compare lets stages grow again when service times have been others for some time, or it is time to ask again.
func (t *tuner) compare(w window) {
	other := false
	for i, known := range t.known.of {
		if known.items > 0 && w.of[i].items > 0 && max(w.occupancy(i), t.known.occupancy(i)) >= slack {
			other = other || isOther(w.service(i)/t.known.service(i))
		}
	}
	if t.other++; !other {
		t.other = 0
	}
	due := t.from.at >= t.again
	if due {
		t.wait *= 2
		t.again = t.from.at + t.wait
	}
	if due || t.other >= confirmed {
		t.reopen(w)
	}
}

// isOther is true of a ratio of two times, or rates, that are not those of the same work.
func isOther(ratio float64) bool { return ratio > drifted || ratio < 1/drifted }

// move changes a stage's workers, and gives them time for what they have begun.
func (t *tuner) move(stage, to int, w window, why string, args ...any) {
	t.p.staff(t.p.stages[stage], to, fmt.Sprintf(why, args...))
	pause := time.Duration(2 * w.service(stage) * float64(time.Second))
	t.settled = t.from.at + min(max(pause, lookEvery), calm)
}

// tell says how things are, for the verdict.
func (t *tuner) tell(how string) {
	t.p.mu.Lock()
	t.p.tuned = how
	t.p.mu.Unlock()
}
