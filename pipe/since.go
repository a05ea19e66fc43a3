package pipe

import "time"

// Since is what a pipeline did between an earlier report of it and this one: figures of a stretch of
// time, for a plot or a verdict about how things are now. Queue stays the mean since the beginning.
func (r Report) Since(earlier Report) Report {
	if len(earlier.Stages) != len(r.Stages) {
		return r // of another pipeline, or the zero value: since the beginning
	}
	d := Report{Elapsed: r.Elapsed - earlier.Elapsed, Failures: r.Failures - earlier.Failures, Stuck: r.Stuck, cores: r.cores}
	for i, s := range r.Stages {
		d.Stages = append(d.Stages, s.since(earlier.Stages[i], d.Elapsed))
	}
	d.Consumer = r.Consumer.since(earlier.Consumer, d.Elapsed)
	d.Verdict = d.verdict(d.cores)
	return d
}

// since is the stage's share in a stretch of time.
func (s StageReport) since(e StageReport, elapsed time.Duration) StageReport {
	service := *s.Service
	service.subtract(e.Service)
	s.Items, s.Failures, s.Dropped = s.Items-e.Items, s.Failures-e.Failures, s.Dropped-e.Dropped
	s.In, s.Out, s.Unused, s.Retries = s.In-e.In, s.Out-e.Out, s.Unused-e.Unused, s.Retries-e.Retries
	s.WaitInS, s.WaitOutS, s.worked = s.WaitInS-e.WaitInS, s.WaitOutS-e.WaitOutS, s.worked-e.worked
	s.describe(&service, elapsed)
	return s
}
