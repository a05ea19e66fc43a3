package source

import (
	"maps"
	"slices"
	"strings"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source/table"
)

// inTable finds the columns of a table.
func (f *firstRoot) inTable() ([]InferredInput, error) {
	c := f.opts.columns()
	m, err := readManifest(f.ctx, f.name, f.partOpener(), table.Columns{Cells: true})
	if err != nil {
		return nil, spool.InFile(err, f.name)
	}
	cells, ok := m.rows.(table.Cells)
	if !ok {
		return nil, refusedIn(f.name, "the format of this table gives paths only, and no other columns")
	}
	var found []InferredInput
	for _, column := range cells.Columns() {
		if inside(column.Name, cells.Columns()) || containsFold(c.Key, column.Name) {
			continue
		}
		in := InferredInput{Input: Input{Name: column.Name}}
		samples := make([]bool, min(cells.Len(), examinedRows))
		kinds := map[string]int{}
		files := 0
		for k := range samples {
			cell, err := cells.Cell(f.ctx, k, column.Name)
			if err := ended(f.ctx, "list", f.name); err != nil {
				return nil, err
			}
			if err != nil || cell.Type == table.Absent {
				continue
			}
			samples[k] = true
			kind, file := f.opts.kindOfCell(column.Name, cell)
			kinds[kind]++
			if file {
				files++
			}
		}
		in.count(samples)
		in.Kind = mostFrequent(kinds)
		in.Value = 2*files < in.Samples || in.Samples == 0
		if in.Kind == "" {
			in.Kind = kindText
		}
		found = append(found, in)
	}
	return found, nil
}

// inside reports whether a column is a part of another one.
func inside(name string, columns []table.Column) bool {
	return slices.ContainsFunc(columns, func(c table.Column) bool { return strings.HasPrefix(name, c.Name+".") })
}

// mostFrequent returns the most frequent word, the first of those in order; or "".
func mostFrequent(counts map[string]int) string {
	best := ""
	for _, word := range slices.Sorted(maps.Keys(counts)) {
		if counts[word] > counts[best] {
			best = word
		}
	}
	return best
}
