package pipe

import "time"

// Summarize is what the statistics make of service times.
func Summarize(samples []time.Duration) (mean time.Duration, quantile func(float64) time.Duration) {
	var parts [2]Histogram // two, to be merged
	for i, d := range samples {
		parts[i%2].add(d)
	}
	parts[0].Merge(&parts[1])
	return parts[0].Mean(), parts[0].Quantile
}

// Verdict is that of a machine with so many cores.
func Verdict(r Report, cores int) string { return r.verdict(cores) }

// Single marks a stage that cannot have more workers.
func Single(s StageReport) StageReport {
	s.single = true
	return s
}
