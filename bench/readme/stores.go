package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spoolmedia/spool/bench"
)

// stores has the measurements of loading from stores at one commit: a comparison for each latency, in ascending order,
// and the clients' requests.
type stores struct {
	bench.Table
	loads    []bench.Comparison
	requests *bench.Comparison
}

func storesOf(t bench.Table) stores {
	s := stores{Table: t}
	for _, row := range t.Rows {
		switch row.Work.Kind {
		case bench.Remote:
			s.loads = append(s.loads, row.Comparison)
		case bench.Requests:
			s.requests = &row.Comparison
		}
	}
	slices.SortFunc(s.loads, func(a, b bench.Comparison) int { return cmp.Compare(a.Work.Latency, b.Work.Latency) })
	return s
}

// peers returns the loaders in the order of their measurement, except spool without latency.
func (s stores) peers() (found []bench.Summary) {
	for _, c := range slices.Backward(s.loads) {
		for _, p := range c.Contestants {
			if p.Peer != bench.Still && !slices.ContainsFunc(found, func(f bench.Summary) bool { return f.Peer == p.Peer }) {
				found = append(found, p)
			}
		}
	}
	return found
}

// of returns a loader's figures at a latency; none if it was not measured.
func of(c bench.Comparison, peer string) bench.Summary {
	i := slices.IndexFunc(c.Contestants, func(p bench.Summary) bool { return p.Peer == peer })
	if i < 0 {
		return bench.Summary{}
	}
	return c.Contestants[i]
}

// main returns the comparison with goals, at 100 ms, otherwise that of the highest latency.
func (s stores) main() bench.Comparison {
	i := slices.IndexFunc(s.loads, func(c bench.Comparison) bool { return c.Work.Latency == 100 })
	if i < 0 {
		i = len(s.loads) - 1
	}
	return s.loads[i]
}

// table writes a table with a row for each wanted loader and a column for each latency.
func (s stores) table(out *strings.Builder, wanted func(peer string) bool) {
	goal := s.main()
	head, rule := "| images/s when an answer takes |", "|---|"
	for _, c := range s.loads {
		head, rule = fmt.Sprintf("%s %d ms |", head, c.Work.Latency), rule+"--:|"
	}
	fmt.Fprintf(out, "%s at %d ms `spool run` has | CPU ms an image |\n%s--:|--:|\n", head, goal.Work.Latency, rule)
	for _, p := range s.peers() {
		if !wanted(p.Peer) {
			continue
		}
		label := p.Label
		if strings.HasPrefix(p.Peer, bench.Spool) {
			label = "**" + label + "**"
		}
		fmt.Fprintf(out, "| %s |", label)
		for _, c := range s.loads {
			fmt.Fprintf(out, " %s |", unless0("%.0f", of(c, p.Peer).Rate))
		}
		fmt.Fprintf(out, " %s | %s |\n", ratio(goal, bench.Spool, p.Peer), unless0("%.2f", of(goal, p.Peer).CPU))
	}
}

// write writes the table of all loaders with its text, and a link to the plot, whose path is relative to the file.
func (s stores) write(out *strings.Builder, plotted string) {
	if len(s.loads) == 0 {
		return
	}
	w := s.main().Work
	fmt.Fprintf(out, "\n**Photos from an object store**, whose answers vary by 20 %%: %d photos (%s) to %dx%d, batches "+
		"of %d, %d workers, server and\n"+
		"clients on one machine, by `make bench-objectstore`.\n%s.\n\n", w.Files, w.Set, w.Size, w.Size, w.Batch,
		w.Workers, upper(where(s.Table)))
	s.table(out, func(string) bool { return true })
	fmt.Fprintf(out, "\n![images a second by latency](%s)\n", plotted)
	lines := []string{"Rates are those of whole runs, start included; those of `spool run` are longer than the others'."}
	if kept := s.kept(); kept != "" {
		lines = append(lines, "`spool run` keeps these shares of its rate at 0 ms, measured right after: "+kept+".")
	}
	if costs := s.costs(); costs != "" {
		lines = append(lines, "A GET of a photo costs its client, in microseconds of CPU: "+costs+".")
	}
	for _, p := range s.peers() {
		if best := s.best(p.Peer); best != "" {
			lines = append(lines, p.Label+" is at the best of several "+best+".")
		}
		if failed := s.each(func(c bench.Comparison) string { return of(c, p.Peer).Error }); failed != "" {
			lines = append(lines, p.Label+" failed: "+failed+".")
		}
	}
	if len(s.Missing) > 0 {
		lines = append(lines, missing(s.Table))
	}
	out.WriteString("\n" + strings.Join(lines, "\n") + "\n")
}

// best returns a loader's settings: what was tried, and the best one at each latency; empty if it has none.
func (s stores) best(peer string) string {
	what := "settings, fetch workers x batch pool"
	best := s.each(func(c bench.Comparison) string {
		setting, numbered := strings.CutPrefix(of(c, peer).Setting, "w")
		if numbered {
			what = "numbers of workers"
		}
		return setting
	})
	if best == "" {
		return ""
	}
	return what + ": " + best
}

// each returns the texts for all latencies that have one.
func (s stores) each(say func(bench.Comparison) string) string {
	var parts []string
	for _, c := range s.loads {
		if text := say(c); text != "" {
			parts = append(parts, fmt.Sprintf("%s at %d ms", text, c.Work.Latency))
		}
	}
	return strings.Join(parts, ", ")
}

// kept returns the shares of its rate without latency that spool keeps.
func (s stores) kept() string {
	return s.each(func(c bench.Comparison) string {
		for _, d := range c.Duels {
			if c.Work.Latency > 0 && d.Own == bench.Spool && d.Other == bench.Still {
				return twoDigits(d.Ratio)
			}
		}
		return ""
	})
}

// costs returns the CPU time of a request for each client.
func (s stores) costs() string {
	if s.requests == nil {
		return ""
	}
	var parts []string
	for _, p := range s.requests.Contestants {
		if p.CPU > 0 {
			parts = append(parts, fmt.Sprintf("%s %.0f", p.Label, 1000*p.CPU))
		}
	}
	return strings.Join(parts, ", ")
}

// concurrent writes the table for datasets that read from a store.
func (s stores) concurrent(out *strings.Builder) {
	if len(s.loads) == 0 {
		return
	}
	w := s.main().Work
	fmt.Fprintf(out, "Measured by `make bench-objectstore`, %d photos (%s), %d workers, server and clients on one "+
		"machine, 64 fetchers. %s.\n"+
		"The dataset is the same, but where spool decodes it gives the bytes:\n\n", w.Files, w.Set, w.Workers,
		upper(where(s.Table)))
	s.table(out, func(peer string) bool {
		return slices.Contains([]string{"sequential", "concurrent", "spool_torch", "spool_torch_collate", "spool_loader"},
			peer)
	})
}
