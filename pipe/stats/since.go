package stats

import "slices"

// Since returns what a pipeline did between an earlier report and this one, for a plot or a current verdict. Queue
// stays the mean since the beginning. To save memory, programs that keep many reports may set Service of their stages
// to nil; there are no service times then.
func (r Report) Since(earlier Report) Report {
	if len(earlier.Stages) != len(r.Stages) {
		return r // of another pipeline, or the zero value: since the beginning
	}
	d := Report{Elapsed: r.Elapsed - earlier.Elapsed, Failures: r.Failures - earlier.Failures, Stuck: r.Stuck,
		Cores: r.Cores, CPU: r.CPU - earlier.CPU, CPUShare: r.CPUShare, Paused: r.Paused - earlier.Paused, Tuning: r.Tuning}
	for i, s := range r.Stages {
		d.Stages = append(d.Stages, s.since(earlier.Stages[i]))
	}
	d.Consumer = r.Consumer.since(earlier.Consumer)
	for _, m := range r.Moves {
		if m.At > earlier.Elapsed {
			d.Moves = append(d.Moves, m)
		}
	}
	return d
}

// since returns the stage's figures for a period.
func (s StageReport) since(e StageReport) StageReport {
	var service Histogram
	if s.Service != nil && e.Service != nil {
		service = *s.Service
		service.subtract(e.Service)
	}
	if len(s.Outs) == len(e.Outs) {
		s.Outs = slices.Clone(s.Outs)
		for i := range s.Outs {
			s.Outs[i] -= e.Outs[i]
		}
	}
	s.Items, s.Failures, s.Dropped = s.Items-e.Items, s.Failures-e.Failures, s.Dropped-e.Dropped
	s.In, s.Out, s.Unused, s.Retries = s.In-e.In, s.Out-e.Out, s.Unused-e.Unused, s.Retries-e.Retries
	s.WaitInS, s.WaitOutS = s.WaitInS-e.WaitInS, s.WaitOutS-e.WaitOutS
	// Work of the moment can turn out to be a wait (meter.Yield), so the total can shrink.
	s.WorkS, s.StaffS = max(s.WorkS-e.WorkS, 0), s.StaffS-e.StaffS
	s.Describe(&service)
	return s
}
