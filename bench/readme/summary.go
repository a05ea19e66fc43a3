package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spoolmedia/spool/bench"
)

// writeSummary is what Python's loader has beside the best of the others, and for each commit a table with a row a work: spool's
// figures, and how many times the rate of each of the others it has.
func writeSummary(out *strings.Builder, files []bench.Table) {
	for i, t := range files {
		if i == 0 {
			writeHeadline(out, t)
		} else {
			out.WriteString("\n")
		}
		fmt.Fprintf(out, "%s:\n\n| | spool | CPU, ms each | peak memory, MB | times the rate of |\n"+
			"|---|--:|--:|--:|---|\n", upper(where(t)))
		for _, row := range t.Rows {
			if len(row.Contestants) == 0 {
				continue
			}
			own := published(row.Comparison)
			fmt.Fprintf(out, "| %s, %s | %.0f %s/s | %.2f | %.0f | %s |\n", heading(row.Work), profileOf(own.Peer),
				own.Rate, units[row.Work.Kind].many, own.CPU, own.RSS, strings.Join(beaten(row.Comparison, own), ", "))
		}
		if len(t.Missing) > 0 {
			fmt.Fprintf(out, "\n%s\n", missing(t))
		}
	}
}

// python are the contestants that are used from Python, the one to be known by first.
var python = []string{"spool_loader", "spool_dataloader"}

// writeHeadline is Python's row of photos beside the fastest of the other loaders, whichever that is.
func writeHeadline(out *strings.Builder, t bench.Table) {
	i := slices.IndexFunc(t.Rows, func(r bench.Row) bool { return r.Work.Name == "images" })
	if i < 0 {
		return
	}
	c := t.Rows[i].Comparison
	best := fastest(c)
	for _, peer := range python {
		times := ratio(c, peer, best.Peer)
		if times == "" {
			continue
		}
		own := of(c, peer)
		fmt.Fprintf(out, "**From Python, `%s` loads %.0f photos a second: %s the rate of the fastest other loader, %s**",
			own.Label, own.Rate, times, best.Label)
		if more := ratio(c, peer, "torchvision"); more != "" && best.Peer != "torchvision" {
			fmt.Fprintf(out, ", and %s that of torchvision in a DataLoader", more)
		}
		out.WriteString(".\n\n")
		return
	}
	out.WriteString("These are rates of the command `spool bench`: Python's loaders were not measured at this commit.\n\n")
}

// fastest is the one of the other loaders that has the highest rate.
func fastest(c bench.Comparison) (best bench.Summary) {
	for _, p := range c.Contestants {
		if !strings.HasPrefix(p.Peer, bench.Spool) && !strings.HasPrefix(p.Peer, "floor") && p.Rate > best.Rate {
			best = p
		}
	}
	return best
}

// published is the contestant of spool's that a row is of: Python's loader where that was measured beside the fastest other one.
func published(c bench.Comparison) bench.Summary {
	best := fastest(c)
	for _, peer := range python {
		if ratio(c, peer, best.Peer) != "" {
			return of(c, peer)
		}
	}
	return c.Contestants[0]
}

// beaten are the other loaders with their ratios, each beside the profile that gives its pixels, or comes nearest; of one
// that takes part in several ways, the fastest. Where it ran beside the contestant of the row, that counts.
func beaten(c bench.Comparison, row bench.Summary) (texts []string) {
	ratios := map[string]float64{}
	for _, p := range c.Contestants {
		if strings.HasPrefix(p.Peer, bench.Spool) || strings.HasPrefix(p.Peer, "floor") {
			continue
		}
		for _, own := range append([]profile{{row.Peer, ""}}, profiles...) {
			i := slices.IndexFunc(c.Duels, func(d bench.Duel) bool { return d.Own == own.peer && d.Other == p.Peer && d.Ratio > 0 })
			if i < 0 {
				continue
			}
			name, _, _ := strings.Cut(p.Label, ",")
			if own.peer != row.Peer {
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
