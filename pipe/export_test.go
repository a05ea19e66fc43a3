package pipe

import (
	"math/rand/v2"
	"time"
)

// Summarize returns the statistics of service times.
func Summarize(samples []time.Duration) (mean time.Duration, quantile func(float64) time.Duration) {
	var parts [2]Histogram // two, to be merged
	for i, d := range samples {
		parts[i%2].add(d)
	}
	parts[0].Merge(&parts[1])
	return parts[0].Mean(), parts[0].Quantile
}

// Meter exports meter.
type Meter struct{ m meter }

// NewMeter starts a meter.
func NewMeter() *Meter {
	m := &Meter{}
	m.m.begin(time.Now())
	return m
}

// Done counts an item.
func (m *Meter) Done() { m.m.done(passed) }

// Hurry shortens the time after which Admit fails when nothing moves.
func (p *Pipeline) Hurry(timeout time.Duration) { p.stallTimeout = timeout }

// Verdict returns the verdict on a machine with that many cores.
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

// OnMachine lets the pipeline run as on a machine with that many cores, whose CPU time used returns.
func (p *Pipeline) OnMachine(cores int, used func() time.Duration) { p.cores, p.cpuTime = cores, used }

// Restaff sets the number of workers of every Auto stage to a random value.
func (p *Pipeline) Restaff(r *rand.Rand) {
	for _, s := range p.stages {
		if s.spare != nil {
			p.setWorkers(s, 1+r.IntN(len(s.meters)), "by chance")
		}
	}
}
