package pipe

import (
	"slices"
	"time"
)

// Report is what a pipeline has done so far, or in all.
type Report struct {
	Elapsed  time.Duration // from the start of All to its end
	Stages   []StageReport // from the source on
	Consumer StageReport   // the loop over All; its body is the work
	Failures int64         // of all stages, including those of Record
	Moves    []Move        // changes of Auto stages' workers; the last 256
	Stuck    []Stuck       // items in work for longer than Options.Watch allows
	Verdict  string        // the bottleneck, by how much, and what to change, in a sentence or two

	cores   int
	allowed float64       // share of the cores; 0 for all
	shut    time.Duration // time in which no work was begun because of CPUShare
	tuned   string        // the state of Auto; empty without it
}

// Move is a change of a stage's number of workers.
type Move struct {
	At       time.Duration // since the start of the run
	Stage    string
	From, To int
	Reason   string
}

// StageReport is the report of one stage. Times include work in progress, so they are correct while the pipeline runs.
// Its JSON keys are part of the command's contract.
//
// Service time is the time of one worker for one item: that of the function, plus some 100 ns for passing the item on
// without a wait. Its quantiles are within 3.2 %. Failed items count, too.
type StageReport struct {
	Name     string `json:"name"`
	Workers  int    `json:"workers"`  // now
	Items    int64  `json:"items"`    // done without failure; for a collector, the items that it took
	Failures int64  `json:"failures"` // failed items, including those that Options.Replace replaced
	AtWork   int    `json:"-"`        // workers that have an item now; on average Occupancy times Workers

	// The flow of items. In = Items + Failures + Dropped + those in work, unless the caller records own failures. Out =
	// the next stage's In + Unused + those that wait.
	In      int64 `json:"-"` // items taken; 0 for a source
	Out     int64 `json:"-"` // results passed on
	Dropped int64 `json:"-"` // items dropped by a filter or interrupted by the end of the run
	Unused  int64 `json:"-"` // results released at the end because no stage took them
	Retries int64 `json:"-"` // attempts for items after the first

	MeanMS float64 `json:"mean_ms"` // service time of an item in milliseconds
	P50MS  float64 `json:"p50_ms"`
	P90MS  float64 `json:"p90_ms"`
	P99MS  float64 `json:"p99_ms"`

	WaitInS   float64 `json:"wait_in_s"`  // total seconds in which workers waited for items
	WaitOutS  float64 `json:"wait_out_s"` // total seconds in which workers waited for room for results
	Occupancy float64 `json:"occupancy"`  // share of the time in which workers were at work, 0 to 1
	Queue     float64 `json:"queue"`      // mean fill of the queue after the stage when the next stage took from it, 0 to 1

	Service *Histogram `json:"-"` // service times

	worked  float64 // total seconds at work of all workers
	staffed float64 // total seconds of all workers
	auto    bool    // it is tuned
	single  bool    // it cannot have more workers
	order   Order   // of its results
	room    int     // results that may wait, in addition to one per worker
	admits  bool    // it waits for bytes of a budget
	next    []int   // the stages that take its results, by index in the report, with the consumer last; nil for the next stage
}

// tally is the sum of the meters of a stage's workers.
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

// addTo adds the current values of the meter.
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

// Report returns what the pipeline has done so far. It may be called at any time, also concurrently with the run.
func (p *Pipeline) Report() Report {
	r := p.reportWorkers()
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

// reportWorkers returns a report with the figures about workers.
func (p *Pipeline) reportWorkers() (r Report) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.start.IsZero() {
		r.Elapsed = time.Since(p.start)
	}
	if !p.end.IsZero() {
		r.Elapsed = p.end.Sub(p.start)
	}
	for _, s := range p.stages {
		r.Stages = append(r.Stages, StageReport{Name: s.name, Workers: s.workers, staffed: s.workerTime(r.Elapsed).Seconds(),
			auto: s.spare != nil, single: s.single, admits: s.admits, order: s.order, room: s.room()})
	}
	r.Consumer = StageReport{Name: "consumer", Workers: 1, staffed: r.Elapsed.Seconds()}
	r.Moves, r.tuned = slices.Clone(p.moves), p.tuned
	r.allowed, r.shut = p.options.CPUShare, p.shut
	return r
}

// flows adds the figures of the stage's input and output queues.
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

// report sets the figures of the meters.
func (t *tally) report(r *StageReport) {
	r.AtWork = t.atWork
	r.Items, r.Failures, r.Dropped, r.Retries = t.items[passed], t.items[failing], t.items[filtered], t.retries
	r.WaitInS, r.WaitOutS = t.spent[waitingIn].Seconds(), t.spent[waitingOut].Seconds()
	r.worked = t.spent[working].Seconds()
	r.describe(&t.service)
}

// describe sets the figures that follow from service times and time at work.
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
