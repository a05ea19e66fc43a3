package pipe

import (
	"slices"
	"time"

	"github.com/spoolmedia/spool/pipe/internal/meter"
	"github.com/spoolmedia/spool/pipe/stats"
)

// tally adds up the stage's meters.
func (s *stage) tally() *meter.Tally {
	t := &meter.Tally{}
	t.Items[meter.Failed] = s.recorded.Load()
	for w := range s.meters {
		t.Add(&s.meters[w])
	}
	return t
}

// Report returns what the pipeline has done so far. It may be called at any time, also concurrently with the run.
func (p *Pipeline) Report() stats.Report {
	r := p.reportWorkers()
	for i, s := range p.stages {
		report := &r.Stages[i]
		s.tally().Report(report)
		s.flows(report)
		p.setUp(s, &report.Setup)
	}
	var t meter.Tally
	t.Add(&p.consumer)
	t.Report(&r.Consumer)
	r.Failures = p.failures()
	r.Stuck = p.stuck(false)
	r.Cores = p.cores
	return r
}

// setUp sets what a stage takes from, and where its results go.
func (p *Pipeline) setUp(s *stage, r *stats.Setup) {
	r.Kind, r.Weights, r.Next = s.kind, s.weights, []int{}
	if s.router != nil {
		r.Router = slices.Index(p.stages, s.router)
	}
	for _, o := range s.outputs {
		next := len(p.stages)
		if o.next != nil {
			next = slices.Index(p.stages, o.next)
		}
		r.Next = append(r.Next, next)
	}
	if len(s.inputs) < 2 {
		return
	}
	for _, input := range s.inputs {
		r.From = append(r.From, slices.IndexFunc(p.stages, func(from *stage) bool {
			return slices.ContainsFunc(from.outputs, func(o *output) bool { return o.gauge == input })
		}))
	}
}

// reportWorkers returns a report with the figures about workers.
func (p *Pipeline) reportWorkers() (r stats.Report) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.start.IsZero() {
		r.Elapsed = time.Since(p.start)
	}
	if !p.end.IsZero() {
		r.Elapsed = p.end.Sub(p.start)
	}
	for _, s := range p.stages {
		r.Stages = append(r.Stages, stats.StageReport{
			Name: s.name, Workers: s.workers, StaffS: s.workerTime(r.Elapsed).Seconds(),
			Setup: stats.Setup{Auto: s.spare != nil, Single: s.single, Budget: s.admits, AsCompleted: !s.ordered,
				Queue: s.room()}})
	}
	r.Consumer = stats.StageReport{Name: "consumer", Workers: 1, StaffS: r.Elapsed.Seconds()}
	r.Moves, r.Tuning = slices.Clone(p.moves), p.tuned
	r.CPUShare, r.Paused = p.options.CPUShare, p.shut
	r.CPU = p.cpu
	if !p.start.IsZero() && p.end.IsZero() {
		r.CPU = p.cpuTime() - p.cpu
	}
	return r
}

// flows adds the figures of the stage's input and output queues.
func (s *stage) flows(r *stats.StageReport) {
	for _, q := range s.inputs {
		_, _, c := q.Gauge()
		r.In += c.Taken
	}
	for _, o := range s.outputs {
		fill, now, c := o.gauge.Gauge()
		r.Queue += fill / float64(len(s.outputs))
		r.Filled += now / float64(len(s.outputs))
		r.Outs = append(r.Outs, c.Given)
		r.Out += c.Given
		r.Unused += c.Unused
	}
}
