package bench

import "slices"

// Spool is the contestant that the others are compared with.
const Spool = "spool"

// Summary is what a contestant's runs come to.
type Summary struct {
	Peer  string  `json:"peer"`
	Label string  `json:"label"` // for people
	Rate  float64 `json:"rate"`  // this and the next three: medians of its runs
	TTFB  float64 `json:"ttfb_s,omitempty"`
	CPU   float64 `json:"cpu_ms"`
	RSS   float64 `json:"rss_mb,omitempty"`
	// RateRatio is how many times its rate spool has, CPURatio how many times spool's CPU time an item it
	// takes: medians over its runs, each compared with the run of spool before it. Above 1 spool is better.
	RateRatio float64 `json:"rate_ratio"`
	CPURatio  float64 `json:"cpu_ratio"`
}

// Summarize sums up runs, which are in the order in which they were made. Runs that failed are left out, and so is
// a contestant that has no other.
func Summarize(runs []Run, contestants []Contestant) []Summary {
	var all []Summary
	for _, c := range contestants {
		var rate, ttfb, cpu, rss, rateRatio, cpuRatio []float64
		var own Run
		for _, r := range runs {
			if r.Error != "" {
				continue
			}
			if r.Peer == Spool {
				own = r
			}
			if r.Peer != c.Name {
				continue
			}
			rate, ttfb, cpu, rss = append(rate, r.Rate), append(ttfb, r.TTFB), append(cpu, r.CPU), append(rss, r.RSS)
			if own.Peer != "" {
				rateRatio, cpuRatio = append(rateRatio, own.Rate/r.Rate), append(cpuRatio, r.CPU/own.CPU)
			}
		}
		if len(rate) > 0 {
			all = append(all, Summary{Peer: c.Name, Label: c.Label, Rate: Median(rate), TTFB: Median(ttfb), CPU: Median(cpu), RSS: Median(rss),
				RateRatio: Median(rateRatio), CPURatio: Median(cpuRatio)})
		}
	}
	return all
}

// Contestant is who takes part in a comparison.
type Contestant struct {
	Name  string // as in Run.Peer
	Label string // for people
}

// Median is the middle value, or the mean of the two in the middle; 0 of none.
func Median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}
