package pipe

import (
	"time"
)

// Report is what a pipeline did so far, or did in all.
type Report struct {
	Elapsed  time.Duration // since All began, until its end
	Stages   []StageReport // from the source on
	Consumer StageReport   // the loop over All: its body is the work
	Failures int64         // of all stages, those of Record included
	Verdict  string        // what limits, by how much, and what to change, in a sentence or two
}

// StageReport is a stage's share. Times include what is under way, so that they are right while the
// pipeline runs. Its JSON keys are part of the command's contract.
//
// Service time is what an item takes from one worker: the function's time, and the hand-off where
// nobody had to wait, which is some 100 ns. Its quantiles are within 3.2 %; failed items count, too.
type StageReport struct {
	Name     string `json:"name"`
	Workers  int    `json:"workers"`
	Items    int64  `json:"items"`    // done without failure; a collector's are those it took in
	Failures int64  `json:"failures"` // items that failed

	MeanMS float64 `json:"mean_ms"` // service time of an item in milliseconds
	P50MS  float64 `json:"p50_ms"`
	P90MS  float64 `json:"p90_ms"`
	P99MS  float64 `json:"p99_ms"`

	WaitInS   float64 `json:"wait_in_s"`  // seconds its workers waited for items, all together
	WaitOutS  float64 `json:"wait_out_s"` // seconds they waited for room for results, all together
	Occupancy float64 `json:"occupancy"`  // share of the time in which a worker was at work, 0 to 1
	Queue     float64 `json:"queue"`      // how full the next stage found the queue behind this one, 0 to 1

	single bool // it cannot have more workers
}

// tally is what the meters of a stage's workers show together.
type tally struct {
	items    int64
	failures int64
	spent    [phases]time.Duration
	service  histogram
}

// tally adds up the stage's meters.
func (s *stage) tally() *tally {
	t := &tally{failures: s.recorded.Load()}
	for w := range s.meters {
		s.meters[w].addTo(t)
	}
	return t
}

// addTo adds what the meter shows now.
func (m *meter) addTo(t *tally) {
	m.mu.Lock()
	defer m.mu.Unlock()
	t.items += m.items
	t.failures += m.failures
	for p, d := range m.spent {
		t.spent[p] += d
	}
	t.spent[m.phase] += time.Since(m.epoch) - m.since
	t.service.merge(&m.service)
}

// Report can be called at any time, also while the pipeline runs.
func (p *Pipeline) Report() Report {
	p.mu.Lock()
	start, end := p.start, p.end
	p.mu.Unlock()
	var r Report
	if !start.IsZero() {
		r.Elapsed = time.Since(start)
	}
	if !end.IsZero() {
		r.Elapsed = end.Sub(start)
	}
	for _, s := range p.stages {
		report := s.tally().report(s.name, len(s.meters), r.Elapsed)
		report.Queue, report.single = s.fill(), s.single
		r.Stages = append(r.Stages, report)
	}
	var t tally
	p.consumer.addTo(&t)
	r.Consumer = t.report("consumer", 1, r.Elapsed)
	r.Failures = p.budget.failed.Load()
	r.Verdict = r.verdict(p.cores)
	return r
}

func (t *tally) report(name string, workers int, elapsed time.Duration) StageReport {
	r := StageReport{
		Name:     name,
		Workers:  workers,
		Items:    t.items,
		Failures: t.failures,
		MeanMS:   milliseconds(t.service.mean()),
		P50MS:    milliseconds(t.service.quantile(0.50)),
		P90MS:    milliseconds(t.service.quantile(0.90)),
		P99MS:    milliseconds(t.service.quantile(0.99)),
		WaitInS:  t.spent[waitingIn].Seconds(),
		WaitOutS: t.spent[waitingOut].Seconds(),
	}
	if elapsed > 0 {
		r.Occupancy = min(t.spent[working].Seconds()/(elapsed.Seconds()*float64(workers)), 1)
	}
	return r
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
