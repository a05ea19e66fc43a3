package bench

import "slices"

// Spool is the contestant that the others are compared with: profile exact, with the same number of workers.
const Spool = "spool"

// Still is spool with a store without latency, right after a run of spool with latency.
const Still = Spool + "_0ms"

// Loader is the contestant that is spool's own loader in Python: a class for each kind of files.
const Loader = Spool + "_loader"

// LoaderOf returns the class of Loader for a kind of work.
func LoaderOf(kind string) string {
	if kind == Video {
		return "VideoLoader"
	}
	return "ImageLoader"
}

// Contestant is a loader in a comparison.
type Contestant struct {
	Name  string // as in Run.Peer
	Label string // for people
}

// Summary has the medians of a contestant's runs.
type Summary struct {
	Peer  string  `json:"peer"`
	Label string  `json:"label"` // for people
	Rate  float64 `json:"rate"`
	TTFB  float64 `json:"ttfb_s,omitempty"`
	CPU   float64 `json:"cpu_ms"`
	RSS   float64 `json:"rss_mb,omitempty"`
	Moved
	Setting string `json:"setting,omitempty"` // the best of several, if it has settings
	Error   string `json:"error,omitempty"`   // why it has no figures
}

// Summarize returns the medians of runs, by contestant. A run that several pairs share counts once. Failed runs are
// left out, and so are contestants without other runs.
func Summarize(pairs []Pair, contestants []Contestant) (all []Summary) {
	for _, c := range contestants {
		var rate, ttfb, cpu, rss, read, out, faults []float64
		seen := map[Run]bool{} // two runs never have equal figures
		for _, p := range pairs {
			for _, r := range [...]Run{p.Own, p.Other} {
				if r.Peer == c.Name && r.Error == "" && !seen[r] {
					seen[r] = true
					rate, ttfb, cpu, rss = append(rate, r.Rate), append(ttfb, r.TTFB), append(cpu, r.CPU), append(rss, r.RSS)
					read, out, faults = append(read, r.Read), append(out, r.Out), append(faults, r.Faults)
				}
			}
		}
		if len(rate) > 0 {
			all = append(all, Summary{Peer: c.Name, Label: c.Label, Rate: Median(rate), TTFB: Median(ttfb), CPU: Median(cpu),
				RSS: Median(rss), Moved: Moved{Median(read), Median(out), Median(faults)}})
		}
	}
	return all
}

// Duel compares a contestant of spool with another one.
type Duel struct {
	Own   string `json:"own"`
	Other string `json:"other"`
	// Ratio is spool's rate divided by the other's. CPURatio is the other's CPU time an item divided by spool's. Both
	// are medians over the pairs of their runs. Above 1, spool is better. 0 if there is no pair without an error.
	Ratio    float64 `json:"ratio"`
	CPURatio float64 `json:"cpu_ratio"`
	Low      float64 `json:"low,omitempty"` // the least and the greatest ratio of a pair
	High     float64 `json:"high,omitempty"`
	Goal     float64 `json:"goal,omitempty"` // the least Ratio to reach; 0 if there is no goal
}

// Held reports whether the duel has reached its goal.
func (d Duel) Held() bool { return d.Ratio >= d.Goal }

// Fought returns the duel with its ratios, from the runs of these pairs.
func (d Duel) Fought(pairs []Pair) Duel {
	var rates, cpus []float64
	for _, p := range pairs {
		if p.Own.Peer == d.Own && p.Other.Peer == d.Other && p.Own.Error == "" && p.Other.Error == "" {
			rates, cpus = append(rates, p.Own.Rate/p.Other.Rate), append(cpus, p.Other.CPU/p.Own.CPU)
		}
	}
	d.Ratio, d.CPURatio = Median(rates), Median(cpus)
	if len(rates) > 1 {
		d.Low, d.High = slices.Min(rates), slices.Max(rates)
	}
	return d
}

// Figures computes the summaries and duels again from the recorded runs.
func (c *Comparison) Figures() (contestants []Summary, duels []Duel) {
	for _, s := range c.Contestants {
		sum := Summary{Peer: s.Peer, Label: s.Label} // if each of its runs failed
		if measured := Summarize(c.Pairs, []Contestant{{Name: s.Peer, Label: s.Label}}); len(measured) > 0 {
			sum = measured[0]
		}
		sum.Setting, sum.Error = s.Setting, s.Error
		contestants = append(contestants, sum)
	}
	for _, d := range c.Duels {
		duels = append(duels, Duel{Own: d.Own, Other: d.Other, Goal: d.Goal}.Fought(c.Pairs))
	}
	return contestants, duels
}

// Median returns the middle value, or the mean of the two middle values; 0 for none.
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
