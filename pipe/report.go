package pipe

import (
	"slices"
	"time"
)

// Report is what a pipeline did so far, or did in all.
type Report struct {
	Elapsed  time.Duration // since All began, until its end
	Stages   []StageReport // from the source on
	Consumer StageReport   // the loop over All: its body is the work
	Failures int64         // of all stages, those of Record included
	Moves    []Move        // of workers, where a stage is Auto; the last 256
	Stuck    []Stuck       // items in work for longer than Options.Watch allows
	Verdict  string        // what limits, by how much, and what to change, in a sentence or two

	cores   int
	allowed float64       // share of the cores; 0 for all
	shut    time.Duration // that no work was begun, to keep within the share
	tuned   string        // how things are with Auto; empty without
}

// Move is a change of a stage's workers.
type Move struct {
	At       time.Duration // of the run
	Stage    string
	From, To int
	Reason   string
}

// StageReport is a stage's share. Times include what is under way, so that they are right while the
// pipeline runs. Its JSON keys are part of the command's contract.
//
// Service time is what an item takes from one worker: the function's time, and the hand-off where
// nobody had to wait, which is some 100 ns. Its quantiles are within 3.2 %; failed items count, too.
type StageReport struct {
	Name     string `json:"name"`
	Workers  int    `json:"workers"`  // now
	Items    int64  `json:"items"`    // done without failure; a collector's are those it took in
	Failures int64  `json:"failures"` // items that failed, those that Options.Replace replaced included
	AtWork   int    `json:"-"`        // workers that have an item now; on average Occupancy times Workers have

	// What went in and out: In = Items + Failures + Dropped + those in work, where the caller records
	// no failures of his own; Out = the next stage's In + Unused + those that wait.
	In      int64 `json:"-"` // items taken; 0 for a source
	Out     int64 `json:"-"` // results handed on
	Dropped int64 `json:"-"` // items that a filter dropped, or the end of the run interrupted
	Unused  int64 `json:"-"` // results that were released at the end, because nobody took them
	Retries int64 `json:"-"` // tries of items beyond the first

	MeanMS float64 `json:"mean_ms"` // service time of an item in milliseconds
	P50MS  float64 `json:"p50_ms"`
	P90MS  float64 `json:"p90_ms"`
	P99MS  float64 `json:"p99_ms"`

	WaitInS   float64 `json:"wait_in_s"`  // seconds its workers waited for items, all together
	WaitOutS  float64 `json:"wait_out_s"` // seconds they waited for room for results, all together
	Occupancy float64 `json:"occupancy"`  // share of the time in which a worker was at work, 0 to 1
	Queue     float64 `json:"queue"`      // how full the next stage found the queue behind this one, 0 to 1

	Service *Histogram `json:"-"` // service times

	worked  float64 // seconds its workers were at work, all together
	staffed float64 // seconds there were workers, all together
	auto    bool    // it is tuned
	single  bool    // it cannot have more workers
	order   Order   // of its results
	room    int     // results that may wait beside one for each worker
	admits  bool    // it waits for bytes of a budget
	next    []int   // who takes its results, by the places in the report, with the consumer last; nil for the stage behind it
}

// tally is what the meters of a stage's workers show together.
type tally struct {
	items   [endings]int64
	retries int64
	spent   [phases]time.Duration
	service Histogram
	atWork  int
}

// tally adds up the stage's meters.
func (s *stage) tally() *tally {
	t := &tally{}
	t.items[failing] = s.recorded.Load()
	for w := range s.meters {
		s.meters[w].addTo(t)
	}
	return t
}

// addTo adds what the meter shows now.
func (m *meter) addTo(t *tally) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for e, n := range m.items {
		t.items[e] += n
	}
	t.retries += m.retries
	if m.phase == working {
		t.atWork++
	}
	for p, d := range m.spent {
		t.spent[p] += d
	}
	t.spent[m.phase] += time.Since(m.epoch) - m.since
	t.service.Merge(&m.service)
}

// Report can be called at any time, also while the pipeline runs.
func (p *Pipeline) Report() Report {
	r := p.staffing()
	for i, s := range p.stages {
		report := &r.Stages[i]
		s.tally().report(report)
		s.flows(report)
		report.next = []int{}
		for _, o := range s.outputs {
			next := len(p.stages)
			if o.next != nil {
				next = slices.Index(p.stages, o.next)
			}
			report.next = append(report.next, next)
		}
	}
	var t tally
	p.consumer.addTo(&t)
	t.report(&r.Consumer)
	r.Failures = p.failures()
	r.Stuck = p.stuck(false)
	r.cores = p.cores
	r.Verdict = r.verdict(p.cores)
	return r
}

// staffing begins a report, with what is known of the workers.
func (p *Pipeline) staffing() (r Report) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.start.IsZero() {
		r.Elapsed = time.Since(p.start)
	}
	if !p.end.IsZero() {
		r.Elapsed = p.end.Sub(p.start)
	}
	for _, s := range p.stages {
		r.Stages = append(r.Stages, StageReport{Name: s.name, Workers: s.workers, staffed: s.staffing(r.Elapsed).Seconds(),
			auto: s.spare != nil, single: s.single, admits: s.admits, order: s.order, room: s.room()})
	}
	r.Consumer = StageReport{Name: "consumer", Workers: 1, staffed: r.Elapsed.Seconds()}
	r.Moves, r.tuned = slices.Clone(p.moves), p.tuned
	r.allowed, r.shut = p.options.CPUShare, p.shut
	return r
}

// flows adds what the queues before and behind the stage show.
func (s *stage) flows(r *StageReport) {
	for _, q := range s.inputs {
		_, c := q.gauge()
		r.In += c.taken
	}
	for _, o := range s.outputs {
		fill, c := o.gauge.gauge()
		r.Queue += fill / float64(len(s.outputs))
		r.Out += c.given
		r.Unused += c.unused
	}
}

// report sets what the meters know.
func (t *tally) report(r *StageReport) {
	r.AtWork = t.atWork
	r.Items, r.Failures, r.Dropped, r.Retries = t.items[passed], t.items[failing], t.items[filtered], t.retries
	r.WaitInS, r.WaitOutS = t.spent[waitingIn].Seconds(), t.spent[waitingOut].Seconds()
	r.worked = t.spent[working].Seconds()
	r.describe(&t.service)
}

// describe sets what follows from the service times and the time at work.
func (s *StageReport) describe(service *Histogram) {
	s.Service = service
	s.MeanMS = milliseconds(service.Mean())
	s.P50MS = milliseconds(service.Quantile(0.50))
	s.P90MS = milliseconds(service.Quantile(0.90))
	s.P99MS = milliseconds(service.Quantile(0.99))
	s.Occupancy = 0
	if s.staffed > 0 {
		s.Occupancy = min(s.worked/s.staffed, 1)
	}
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
