package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spoolmedia/spool/bench"
)

// writeSummary writes a headline and a table for each commit. The headline compares Python's loader with the fastest
// other loader. The table has a row for each work: spool's figures, and its rate as a multiple of each other loader's.
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
			fmt.Fprintf(out, "| %s, %s | %.0f %s/s | %.2f | %.0f | %s |\n", heading(row.Work),
				profileOf(own.Peer, row.Work.Kind), own.Rate, units[row.Work.Kind].many, own.CPU, own.RSS,
				strings.Join(beaten(row.Comparison, own), ", "))
		}
		if len(t.Missing) > 0 {
			fmt.Fprintf(out, "\n%s\n", missing(t))
		}
	}
}

// python are the contestants that are used from Python, the preferred one first.
var python = []string{bench.Loader, "spool_dataloader"}

// writeHeadline compares Python's loader with the fastest other loader, on photos.
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

// fastest returns the other loader with the highest rate.
func fastest(c bench.Comparison) (best bench.Summary) {
	for _, p := range c.Contestants {
		if !strings.HasPrefix(p.Peer, bench.Spool) && !strings.HasPrefix(p.Peer, "floor") && p.Rate > best.Rate {
			best = p
		}
	}
	return best
}

// published returns the contestant of spool for a row: Python's loader if it has a pair with the fastest other loader,
// otherwise the first contestant.
func published(c bench.Comparison) bench.Summary {
	best := fastest(c)
	for _, peer := range python {
		if ratio(c, peer, best.Peer) != "" {
			return of(c, peer)
		}
	}
	return c.Contestants[0]
}

// beaten returns the other loaders with their ratios. A ratio is that of the contestant of the row if they are a pair,
// otherwise that of the first profile that is. If another loader takes part in several ways, its fastest one counts.
func beaten(c bench.Comparison, row bench.Summary) (texts []string) {
	ratios := map[string]float64{}
	for _, p := range c.Contestants {
		if strings.HasPrefix(p.Peer, bench.Spool) || strings.HasPrefix(p.Peer, "floor") {
			continue
		}
		for _, own := range append([]profile{{row.Peer, ""}}, profiles...) {
			i := slices.IndexFunc(c.Duels,
				func(d bench.Duel) bool { return d.Own == own.peer && d.Other == p.Peer && d.Ratio > 0 })
			if i < 0 {
				continue
			}
			name, _, _ := strings.Cut(p.Label, ",")
			if own.peer != row.Peer {
				name += " (" + profileOf(own.peer, c.Work.Kind) + ")"
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

// profileOf returns the profile of a contestant of spool in a kind of work.
func profileOf(peer, kind string) string {
	if peer == bench.Loader {
		return bench.LoaderOf(kind)
	}
	i := slices.IndexFunc(profiles, func(p profile) bool { return p.peer == peer })
	if i < 0 {
		return peer
	}
	return profiles[i].column
}
