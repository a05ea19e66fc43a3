package bench

import "slices"

// Spool is the contestant that the others are compared with: profile exact, with as many workers as they have.
const Spool = "spool"

// Still is spool with a store that answers at once, right after a run of its with one that does not.
const Still = Spool + "_0ms"

// Contestant is who takes part in a comparison.
type Contestant struct {
	Name  string // as in Run.Peer
	Label string // for people
}

// Summary is what a contestant's runs come to: medians.
type Summary struct {
	Peer    string  `json:"peer"`
	Label   string  `json:"label"` // for people
	Rate    float64 `json:"rate"`
	TTFB    float64 `json:"ttfb_s,omitempty"`
	CPU     float64 `json:"cpu_ms"`
	RSS     float64 `json:"rss_mb,omitempty"`
	Setting string  `json:"setting,omitempty"` // the best of those that were tried
	Error   string  `json:"error,omitempty"`   // why it has no figures, of a comparison that says so
}

// Summarize sums up runs, by contestant. A run that several pairs share counts once. Runs that failed are left out, and so
// is a contestant that has no other.
func Summarize(pairs []Pair, contestants []Contestant) (all []Summary) {
	for _, c := range contestants {
		var rate, ttfb, cpu, rss []float64
		seen := map[Run]bool{} // two runs never have the same figures
		for _, p := range pairs {
			for _, r := range [...]Run{p.Own, p.Other} {
				if r.Peer == c.Name && r.Error == "" && !seen[r] {
					seen[r] = true
					rate, ttfb, cpu, rss = append(rate, r.Rate), append(ttfb, r.TTFB), append(cpu, r.CPU), append(rss, r.RSS)
				}
			}
		}
		if len(rate) > 0 {
			all = append(all, Summary{Peer: c.Name, Label: c.Label, Rate: Median(rate), TTFB: Median(ttfb), CPU: Median(cpu), RSS: Median(rss)})
		}
	}
	return all
}

// Duel is a contestant of spool's beside another one.
type Duel struct {
	Own   string `json:"own"`
	Other string `json:"other"`
	// Ratio is how many times the other's rate spool has, CPURatio how many times spool's CPU time an item the other
	// takes: medians over the pairs of their runs. Above 1 spool is better. 0 when there is no pair without an error.
	Ratio    float64 `json:"ratio"`
	CPURatio float64 `json:"cpu_ratio"`
	Low      float64 `json:"low,omitempty"` // the least and the greatest ratio of a pair
	High     float64 `json:"high,omitempty"`
	Goal     float64 `json:"goal,omitempty"` // what Ratio is to be at least; 0: nothing in particular
}

// Held reports whether the duel came out as it should.
func (d Duel) Held() bool { return d.Ratio >= d.Goal }

// Fought gives the duel with its ratios.
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

// Figures are the summaries and duels again, from the recorded runs.
func (c *Comparison) Figures() (contestants []Summary, duels []Duel) {
	for _, s := range c.Contestants {
		sum := Summary{Peer: s.Peer, Label: s.Label} // each of its runs failed
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
