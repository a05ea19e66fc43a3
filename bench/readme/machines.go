package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spoolmedia/spool/bench"
)

// processors are comparisons on other processors than that of the tables, see bench.Elsewhere.
type processors []bench.Row

// names returns the processors.
func (l processors) names() (names []string) {
	for _, row := range l {
		if cpu := row.Result.Machine.CPU; !slices.Contains(names, cpu) {
			names = append(names, cpu)
		}
	}
	return names
}

// on returns the rows of a processor.
func (l processors) on(cpu string) (rows processors) {
	for _, row := range l {
		if row.Result.Machine.CPU == cpu {
			rows = append(rows, row)
		}
	}
	return rows
}

// photos returns the ratios of a contestant of spool for photos to torchvision and the fastest other loader, each with
// the other's name.
func (l processors) photos(own string) (texts []string) {
	for _, row := range l {
		if row.Work.Name != "images" {
			continue
		}
		best := fastest(row.Comparison).Peer
		for _, d := range row.Duels {
			if d.Own != own || d.Other != "torchvision" && d.Other != best {
				continue
			}
			if times := ratio(row.Comparison, own, d.Other); times != "" {
				other, _, _ := strings.Cut(of(row.Comparison, d.Other).Label, ",")
				texts = append(texts, times+" "+other)
			}
		}
	}
	return texts
}

// short names each processor's ratios of Python's loaders for photos.
func (l processors) short() string {
	var texts []string
	for _, cpu := range l.names() {
		var loaders []string
		for _, own := range []struct{ peer, name string }{{"spool_dataloader", "the swap"}, {"spool_loader", "the loader"}} {
			if ratios := l.on(cpu).photos(own.peer); len(ratios) > 0 {
				loaders = append(loaders, own.name+" "+strings.Join(ratios, " and "))
			}
		}
		if len(loaders) > 0 {
			runs := ""
			if l.on(cpu).brief() > 0 {
				runs = ", in short runs"
			}
			const more = "[more, and the commit](docs/benchmarks.md#on-other-processors)"
			texts = append(texts, fmt.Sprintf("On %s%s: %s (%s).", cpu, runs, strings.Join(loaders, ", "), more))
		}
	}
	return strings.Join(texts, " ")
}

// write writes a table for each processor, with the ratios of the published tables beside its own.
func (l processors) write(out *strings.Builder, tables []bench.Table) {
	if len(l) == 0 {
		return
	}
	out.WriteString("\n### On other processors\n\nThe same works on other processors, some with fewer loaders, " +
		"with what the tables above have of the same pair. A pair's ratio is the rate of spool, as a multiple of the " +
		"other loader's.\n")
	for _, cpu := range l.names() {
		rows := l.on(cpu)
		first := rows[0].Result
		fmt.Fprintf(out, "\nOn %s, %d cores, commit %s, with %s, %s, load up to %.2f.", cpu, first.Machine.Cores,
			shortened(first.Commit), cmp.Or(first.Build, bench.SystemBuild), first.Date.UTC().Format("2006-01-02"),
			highest(rows))
		if seconds := rows.brief(); seconds > 0 {
			fmt.Fprintf(out, " A run took about %.1f s. In so short a run, much of the CPU time of spool in Python is that of "+
				"its start, so these rows have no ratio in CPU time.", seconds)
		}
		if first.Note != "" {
			out.WriteString(" " + first.Note)
		}
		out.WriteString("\n\n| | spool | beside | ratio | in CPU time | above |\n|---|---|---|--:|--:|--:|\n")
		for _, row := range rows {
			for _, d := range row.Duels {
				if d.Ratio > 0 {
					own := of(row.Comparison, d.Own).Label
					fmt.Fprintf(out, "| %s | %s | %s | %s | %s | %s |\n", heading(row.Work), own,
						labelled(of(row.Comparison, d.Other), version(row.Result, d.Other)),
						ratio(row.Comparison, d.Own, d.Other), inCPUTime(row.Work, own, d), above(tables, row.Work.Name, d))
				}
			}
		}
	}
}

// shortRun is the length of a run, in seconds, below which the start of a process in Python weighs in its CPU time.
const shortRun = 2

// brief returns the length of the longest runs, in seconds, if they are short, or else 0.
func (l processors) brief() (seconds float64) {
	for _, row := range l {
		seconds = max(seconds, row.Work.Seconds)
	}
	if seconds >= shortRun {
		return 0
	}
	return seconds
}

// inCPUTime returns the ratio in CPU time, or "" for spool in Python in short runs.
func inCPUTime(w bench.Work, own string, d bench.Duel) string {
	if w.Seconds > 0 && w.Seconds < shortRun && strings.HasPrefix(own, "spool.") {
		return ""
	}
	return twoDigits(d.CPURatio)
}

// highest returns the highest load of the runs.
func highest(rows processors) (load float64) {
	for _, row := range rows {
		for _, p := range row.Pairs {
			load = max(load, p.Own.Load, p.Other.Load)
		}
	}
	return load
}

// above returns the ratio that the tables have of a pair, or "".
func above(tables []bench.Table, work string, d bench.Duel) string {
	for _, t := range tables {
		for _, row := range t.Rows {
			if row.Work.Name == work {
				return ratio(row.Comparison, d.Own, d.Other)
			}
		}
	}
	return ""
}
