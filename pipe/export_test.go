package pipe

import (
	"math/rand/v2"
	"time"
)

// Summarize is what the statistics make of service times.
func Summarize(samples []time.Duration) (mean time.Duration, quantile func(float64) time.Duration) {
	var parts [2]Histogram // two, to be merged
	for i, d := range samples {
		parts[i%2].add(d)
	}
	parts[0].Merge(&parts[1])
	return parts[0].Mean(), parts[0].Quantile
}

// Meter is a worker's stopwatch.
type Meter struct{ m meter }

// NewMeter starts one.
func NewMeter() *Meter {
	m := &Meter{}
	m.m.begin(time.Now())
	return m
}

// Done counts an item.
func (m *Meter) Done() { m.m.done(passed) }

// Hurry shortens what Admit waits when nothing moves.
func (p *Pipeline) Hurry(patience time.Duration) { p.patience = patience }

// Verdict is that of a machine with so many cores.
func Verdict(r Report, cores int) string {
	for i := range r.Stages {
		r.Stages[i].staffed = r.Elapsed.Seconds() * float64(r.Stages[i].Workers)
	}
	r.Consumer.staffed = r.Elapsed.Seconds()
	return r.verdict(cores)
}

// Single marks a stage that cannot have more workers.
func Single(s StageReport) StageReport {
	s.single = true
	return s
}

// OnMachine runs the pipeline as on a machine with so many cores, whose clock of CPU time is used.
func (p *Pipeline) OnMachine(cores int, used func() time.Duration) { p.cores, p.cpuTime = cores, used }

// Restaff gives every stage that is Auto any number of workers.
func (p *Pipeline) Restaff(r *rand.Rand) {
	for _, s := range p.stages {
		if s.spare != nil {
			p.staff(s, 1+r.IntN(len(s.meters)), "by chance")
		}
	}
}
