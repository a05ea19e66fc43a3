package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// surfaces are the columns beside Go's.
const surfaces = 3

// cells are what Python, C and the command have for a symbol: names in backquotes, or the reason why there is none.
type cells [surfaces]string

// mapping has the cells of each symbol, by package and name.
type mapping map[string]map[string]cells

// parse reads the mapping. A line in brackets begins a package. Other lines are rows: names of symbols, then a cell for
// each surface, or one reason for all of them. Empty lines, and lines that begin with #, are ignored.
func parse(text string) (mapping, error) {
	m := mapping{}
	var problems []error
	var rows map[string]cells
	for i, line := range strings.Split(text, "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		if line[0] == '[' {
			rows = map[string]cells{}
			m[strings.Trim(line, "[]")] = rows
			continue
		}
		columns := strings.Split(line, "|")
		for c := range columns {
			columns[c] = strings.TrimSpace(columns[c])
		}
		if len(columns) == 2 {
			columns = append(columns, columns[1], columns[1])
		}
		if len(columns) != 1+surfaces || slices.Contains(columns, "") || rows == nil {
			problems = append(problems, fmt.Errorf("surfaces.txt:%d: not symbols and %d cells: %s", i+1, surfaces, line))
			continue
		}
		for name := range strings.FieldsSeq(columns[0]) {
			if _, twice := rows[name]; twice {
				problems = append(problems, fmt.Errorf("surfaces.txt:%d: %s a second time", i+1, name))
			}
			rows[name] = cells(columns[1:])
		}
	}
	return m, errors.Join(problems...)
}

// covers reports the symbols that have no row, and the rows that have no symbol.
func (m mapping) covers(all []goPackage) error {
	var problems []error
	known := map[string]bool{}
	for _, p := range all {
		for _, s := range p.symbols {
			known[p.path+"."+s.name] = true
			if _, found := m[p.path][s.name]; !found {
				problems = append(problems, fmt.Errorf("surfaces.txt: no row for %s of %s", s.name, p.path))
			}
		}
	}
	for path, rows := range m {
		for name := range rows {
			if !known[path+"."+name] {
				problems = append(problems, fmt.Errorf("surfaces.txt: %s exports no %s", path, name))
			}
		}
	}
	slices.SortFunc(problems, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errors.Join(problems...)
}
