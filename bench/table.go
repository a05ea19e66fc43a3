package bench

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
)

// Table is a group of works that are published together: all were measured at one commit, on one machine.
type Table struct {
	Commit  string
	Rows    []Row    // in the order of publication
	Missing []string // works without a result of that commit
}

// Row is a work of a table, with its result.
type Row struct {
	Comparison
	Result *Result
}

// Works on files, and works on an object store.
var (
	fileWorks = [][]string{
		{"images", "train", "large"},
		{"png", "webp"},
		{"video", "videofull", "hd"},
		{"wav", "flac", "mp3", "aac", "opus"},
	}
	storeWorks = []string{"objectstore-0", "objectstore-20", "objectstore-50", "objectstore-100", "objectstore-200",
		"objectstore-get"}
)

// Publish makes tables of results. For files these are photos, other images, video and audio; consecutive ones of the
// same commit become one. There is one table for stores. A table is of the commit with the most of its works, and of
// the newest of these commits. Results of other commits are left out, and so are works that ran with only some of the
// contestants, works without recorded runs, and tables without rows. Once some works of a table ran on generated media,
// those on other media are left out as well.
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

// pick returns the table of some works: that of generated media, which everyone can make, if there is one.
func pick(results []*Result, works []string) (best Table) {
	newestFirst := slices.SortedStableFunc(slices.Values(results),
		func(a, b *Result) int { return b.Date.Compare(a.Date) })
	for _, media := range [...]string{"generated ", ""} {
		for _, r := range newestFirst {
			t := Table{Commit: r.Commit}
			same := slices.DeleteFunc(slices.Clone(newestFirst), func(o *Result) bool { return !alike(r, o) })
			for _, work := range works {
				if row, found := newest(same, work, media); found {
					t.Rows = append(t.Rows, row)
				} else {
					t.Missing = append(t.Missing, work)
				}
			}
			if len(t.Rows) > len(best.Rows) {
				best = t
			}
		}
		if len(best.Rows) > 0 {
			break
		}
	}
	return best
}

// Elsewhere returns comparisons of files on other processors than that of the tables, the newest first. Of each
// processor they are of its newest commit, also those of only some of the contestants.
func Elsewhere(results []*Result, tables []Table) (rows []Row) {
	if len(tables) == 0 {
		return nil
	}
	newest := map[string]string{tables[0].Rows[0].Result.Machine.CPU: ""} // commits by processor
	for _, r := range slices.Backward(results) {
		cpu := r.Machine.CPU
		for _, c := range r.Works {
			if c.Work.Kind == Remote || c.Work.Kind == Requests || len(c.Pairs) == 0 {
				continue
			}
			if _, known := newest[cpu]; !known {
				newest[cpu] = r.Commit
			}
			if newest[cpu] == r.Commit {
				rows = append(rows, Row{c, r})
			}
		}
	}
	return rows
}

// alike reports whether results can be in one table. A result of uncommitted changes, or of an unknown commit, is
// alone, since others may be of different sources.
func alike(a, b *Result) bool {
	return a == b || a.Commit == b.Commit && a.Build == b.Build && strings.Trim(a.Commit, "0123456789abcdef") == "" &&
		a.Machine.CPU == b.Machine.CPU && a.Machine.Cores == b.Machine.Cores
}

// newest returns the first comparison of a work with all contestants, and with recorded runs, whose set of files has a
// name that begins with media.
func newest(results []*Result, work, media string) (Row, bool) {
	for _, r := range results {
		for _, c := range r.Works {
			if c.Work.Name == work && strings.HasPrefix(c.Work.Set, media) && !c.Partial && len(c.Pairs) > 0 {
				return Row{c, r}, true
			}
		}
	}
	return Row{}, false
}

// Measured returns an earlier result that has a work already, or nil. Both are of the same commit and machine, with the
// same settings and all contestants. A noisy result does not count if r was begun on a quiet machine.
func Measured(earlier []*Result, r *Result, work Work) *Result {
	for _, e := range earlier {
		if !alike(e, r) || e.Machine.Load > Quiet && r.Machine.Load <= Quiet {
			continue
		}
		for _, c := range e.Works {
			c.Work.Megapixels = work.Megapixels // measured, not set
			if work.Seconds > 0 {
				c.Work.Repeat = work.Repeat // for so many seconds
			}
			if c.Work == work && !c.Partial && len(c.Pairs) > 0 {
				return e
			}
		}
	}
	return nil
}

// Earlier reads the results of a folder, if there are any.
func Earlier(dir string) ([]*Result, error) {
	all, err := ReadAll(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return all, err
}
