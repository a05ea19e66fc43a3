package main

import (
	"fmt"
	"strings"

	"github.com/spoolmedia/spool/bench"
)

// writeNumbers writes the chart of README.md and three figures: spool inside a DataLoader, spool's own loader, and
// loading from a store. A figure without a result has a note instead.
func (m *measured) writeNumbers(out *strings.Builder) {
	missed := ""
	table, images, found := photos(m.files)
	if found {
		fmt.Fprintf(out, "![images a second, by loader](%s)\n\n", rates)
	}
	out.WriteString("| | spool | times the rate of |\n|---|--:|---|\n")
	if found {
		fmt.Fprintf(out, "| **Swap inside a `DataLoader`**: `spool.torch.collate` decodes |%s |\n", swap(images))
		fmt.Fprintf(out, "| **The native loader from Python**: `spool.ImageLoader` |%s |\n", native(images))
		if of(images, "spool_loader").Rate == 0 {
			missed = fmt.Sprintf("\nPython's loaders were not measured at commit %s; the command runs the same loader.",
				shortened(table.Commit))
		}
	}
	if len(m.stores.loads) > 0 {
		fmt.Fprintf(out, "| **A store that answers after %d ms**: `spool run` |%s |\n", m.stores.main().Work.Latency,
			m.stores.first())
	}
	fmt.Fprintf(out, "\n%s%s\n", m.origin(), missed)
}

// photos returns the comparison of loaders on photos, and its table.
func photos(files []bench.Table) (bench.Table, bench.Comparison, bool) {
	for _, t := range files {
		for _, row := range t.Rows {
			if row.Work.Name == "images" && len(row.Contestants) > 0 {
				return t, row.Comparison, true
			}
		}
	}
	return bench.Table{}, bench.Comparison{}, false
}

// swap returns the cells of a DataLoader whose images spool decodes.
func swap(c bench.Comparison) string {
	times := ratio(c, "spool_dataloader", "torchvision")
	if times == "" {
		return " no result yet | [an earlier run](docs/loaders/README.md#what-it-gains)"
	}
	return fmt.Sprintf(" %.0f images/s | torchvision there **%s**", of(c, "spool_dataloader").Rate, times)
}

// native returns the cells of spool's own loader: that of Python, else that of the command.
func native(c bench.Comparison) string {
	own, how := of(c, "spool_loader"), ""
	if own.Rate == 0 {
		own, how = c.Contestants[0], ", the command"
	}
	best := fastest(c)
	var texts []string
	if times := ratio(c, own.Peer, "torchvision"); times != "" && best.Peer != "torchvision" {
		texts = append(texts, "torchvision in a `DataLoader` **"+times+"**")
	}
	if times := ratio(c, own.Peer, best.Peer); times != "" {
		texts = append(texts, fmt.Sprintf("the fastest other loader, %s, **%s**", best.Label, times))
	}
	return fmt.Sprintf(" %.0f images/s%s | %s", own.Rate, how, strings.Join(texts, "; "))
}

// first returns the cells of loading from a store.
func (s stores) first() string {
	c := s.main()
	best := fastest(c)
	var texts []string
	if times := ratio(c, bench.Spool, "sequential"); times != "" {
		texts = append(texts, fmt.Sprintf("%s **%s**", of(c, "sequential").Label, times))
	}
	if times := ratio(c, bench.Spool, best.Peer); times != "" && best.Peer != "sequential" {
		texts = append(texts, fmt.Sprintf("the fastest other loader, %s, **%s**", best.Label, times))
	}
	return fmt.Sprintf(" %.0f images/s | %s", of(c, bench.Spool).Rate, strings.Join(texts, "; "))
}

// origin names the works, the machines and the commits of the figures.
func (m *measured) origin() string {
	text := "Medians of runs with two workers, photos to 224x224 in batches of 32."
	if t, _, found := photos(m.files); found {
		text += "\nPhotos: " + short(t)
		if there := m.elsewhere.short(); there != "" {
			text += " " + there
		}
	}
	if len(m.stores.loads) > 0 {
		text += "\nStore: " + short(m.stores.Table)
	}
	return text
}

// short describes the commit, the newest date and the machine of a table.
func short(t bench.Table) string {
	r, m := t.Rows[0].Result, t.Rows[0].Result.Machine
	noisy := ""
	if busy(t) {
		noisy = " The machine was busy."
	}
	day := r.Date.UTC().Format("2006-01-02")
	build := ""
	if r.Build != "" {
		build = ", with " + r.Build
	}
	return fmt.Sprintf("commit %s%s, %s, on %s, %d cores.%s", shortened(t.Commit), build, day, m.CPU, m.Cores, noisy)
}
