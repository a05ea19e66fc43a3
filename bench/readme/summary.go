package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spoolmedia/spool/bench"
)

// writeSummary is a row a work: spool's figures, and how many times the rate of each of the others it has.
func writeSummary(out *strings.Builder, current []*bench.Result) {
	out.WriteString("| | spool | CPU, ms each | peak memory, MB | times the rate of |\n|---|--:|--:|--:|---|\n")
	measured := map[string]bench.Comparison{}
	for _, r := range current {
		for _, c := range r.Works {
			measured[c.Work.Name] = c
		}
	}
	for _, h := range headings {
		c := measured[h.work]
		if len(c.Contestants) == 0 {
			continue
		}
		own := c.Contestants[0]
		fmt.Fprintf(out, "| %s, %s | %.0f %s/s | %.2f | %.0f | %s |\n", heading(c.Work), profileOf(own.Peer),
			own.Rate, units[c.Work.Kind].many, own.CPU, own.RSS, strings.Join(beaten(c), ", "))
	}
}

// beaten are the other loaders with their ratios, each beside the profile that gives its pixels, or comes nearest; of one
// that takes part in several ways, the fastest.
func beaten(c bench.Comparison) (texts []string) {
	ratios := map[string]float64{}
	for _, p := range c.Contestants {
		if strings.HasPrefix(p.Peer, bench.Spool) || strings.HasPrefix(p.Peer, "floor") {
			continue
		}
		for _, own := range profiles {
			i := slices.IndexFunc(c.Duels, func(d bench.Duel) bool { return d.Own == own.peer && d.Other == p.Peer && d.Ratio > 0 })
			if i < 0 {
				continue
			}
			name, _, _ := strings.Cut(p.Label, ",")
			if own.peer != c.Contestants[0].Peer {
				name += " (" + own.column + ")"
			}
			if x, there := ratios[name]; !there || c.Duels[i].Ratio < x {
				ratios[name] = c.Duels[i].Ratio
			}
			break
		}
	}
	names := slices.SortedFunc(maps.Keys(ratios), func(a, b string) int { return cmp.Compare(ratios[a], ratios[b]) })
	for _, name := range names {
		texts = append(texts, fmt.Sprintf("%s **%s**", name, twoDigits(ratios[name])))
	}
	return texts
}

// profileOf is the profile of a contestant of spool's.
func profileOf(peer string) string {
	i := slices.IndexFunc(profiles, func(p profile) bool { return p.peer == peer })
	if i < 0 {
		return peer
	}
	return profiles[i].column
}
