package main

import (
	"fmt"
	"strings"

	"github.com/spoolmedia/spool/bench"
)

// writeNumbers writes two tables of README.md, each with its commit below: photos in files, by spool inside a
// DataLoader and by spool's own loader, with a chart; and photos in a store. A figure without a result has a note
// instead.
func (m *measured) writeNumbers(out *strings.Builder) {
	const columns = " | spool | times the rate of |\n|---|--:|---|\n"
	table, images, found := photos(m.files)
	if found {
		fmt.Fprintf(out, "| photos in files%s", columns)
		fmt.Fprintf(out, "| **Swap inside a `DataLoader`**: `spool.torch.collate` decodes |%s |\n", swap(images))
		fmt.Fprintf(out, "| **The native loader from Python**: `spool.ImageLoader` |%s |\n", native(images))
		texts := []string{short(table, images.Work)}
		if there := m.elsewhere.short(); there != "" {
			texts = append(texts, there)
		}
		if of(images, "spool_loader").Rate == 0 {
			texts = append(texts, "Python's loaders were not measured; the command runs the same loader.")
		}
		fmt.Fprintf(out, "\n%s<br>\n![images a second, by loader](%s)\n", strings.Join(texts, " "), rates)
	}
	if len(m.stores.loads) > 0 {
		w := m.stores.main().Work
		fmt.Fprintf(out, "\n| photos in a store that answers after %d ms%s| `spool run` |%s |\n\n%s\n", w.Latency, columns,
			m.stores.first(), short(m.stores.Table, w))
	}
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

// short describes the commit, the newest date and the machine of a table, and one of its works.
func short(t bench.Table, w bench.Work) string {
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
	return fmt.Sprintf("Commit %s%s, %s, on %s, %d cores: medians of runs with %d workers, %d photos (%s) to %dx%d in "+
		"batches of %d.%s", shortened(t.Commit), build, day, m.CPU, m.Cores, w.Workers, w.Files, w.Set, w.Size, w.Size,
		w.Batch, noisy)
}
