package bench

import (
	"slices"
	"strings"
)

// Table is what is published together: works that were all measured at one commit, on one machine.
type Table struct {
	Commit  string
	Rows    []Row    // in the order in which they are listed
	Missing []string // works without a result of that commit
}

// Row is a work of a table, and the result that has it.
type Row struct {
	Comparison
	Result *Result
}

// Works on files, and those on an object store.
var (
	fileWorks = [][]string{
		{"images", "train", "large", "png", "webp"},
		{"video", "videofull", "hd"},
		{"wav", "flac", "mp3", "aac", "opus"},
	}
	storeWorks = []string{"objectstore-0", "objectstore-20", "objectstore-50", "objectstore-100", "objectstore-200", "objectstore-get"}
)

// Publish makes tables of results: of files one for images, one for video, one for audio, in which neighbours of one
// commit are one table, and one of stores. A table is of the commit with the most of its works, and of the newest such.
// What other commits have of the rest is left out. So are works that ran with a choice of contestants or have no
// recorded runs, and tables without rows.
func Publish(results []*Result) (files []Table, stores Table) {
	for _, works := range fileWorks {
		t := pick(results, works)
		last := len(files) - 1
		switch {
		case len(t.Rows) == 0:
		case last >= 0 && alike(files[last].Rows[0].Result, t.Rows[0].Result):
			files[last].Rows = append(files[last].Rows, t.Rows...)
			files[last].Missing = append(files[last].Missing, t.Missing...)
		default:
			files = append(files, t)
		}
	}
	return files, pick(results, storeWorks)
}

// pick is the table of some works.
func pick(results []*Result, works []string) (best Table) {
	newestFirst := slices.SortedStableFunc(slices.Values(results), func(a, b *Result) int { return b.Date.Compare(a.Date) })
	for _, r := range newestFirst {
		t := Table{Commit: r.Commit}
		same := slices.DeleteFunc(slices.Clone(newestFirst), func(o *Result) bool { return !alike(r, o) })
		for _, work := range works {
			if row, found := newest(same, work); found {
				t.Rows = append(t.Rows, row)
			} else {
				t.Missing = append(t.Missing, work)
			}
		}
		if len(t.Rows) > len(best.Rows) {
			best = t
		}
	}
	return best
}

// alike reports whether results can be in one table. One of uncommitted changes is alone: another may be of other changes.
func alike(a, b *Result) bool {
	return a == b || a.Commit == b.Commit && !strings.Contains(a.Commit, "+") &&
		a.Machine.CPU == b.Machine.CPU && a.Machine.Cores == b.Machine.Cores
}

// newest is the first record of a work that has all contestants, and the runs that its figures are medians of.
func newest(results []*Result, work string) (Row, bool) {
	for _, r := range results {
		for _, c := range r.Works {
			if c.Work.Name == work && !c.Partial && len(c.Pairs) > 0 {
				return Row{c, r}, true
			}
		}
	}
	return Row{}, false
}
