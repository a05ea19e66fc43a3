package table

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spoolmedia/spool"
)

// Columns are the names that a column may have, for each use of a column. The first name that exists counts; case is
// ignored.
type Columns struct {
	Path, Label, Key, Size, Version []string

	// Cells reads all columns: the Rows are Cells. Path then only fills Row.Path, and no column needs to have that name.
	Cells bool
}

// ledgerColumns are found together only in a run's ledger, whose column class holds error classes.
var ledgerColumns = []string{"stage", "class", "attempts", "action"}

// For returns the columns to look for in a table with the names there: a ledger has no labels.
func (c Columns) For(there []string) Columns {
	for _, name := range ledgerColumns {
		if !slices.Contains(there, name) {
			return c
		}
	}
	c.Label = nil
	return c
}

// Uses reports whether a table with the columns there uses the one called name.
func (c Columns) Uses(name string, there []string) bool {
	for _, wanted := range [][]string{c.Path, c.Label, c.Key, c.Size, c.Version} {
		if at := Within(there, wanted); at >= 0 && there[at] == name {
			return true
		}
	}
	return false
}

// Index returns the index in there of the first of wanted that exists, or -1.
func Index(there, wanted []string) int {
	for _, name := range wanted {
		if i := slices.Index(there, strings.ToLower(name)); i >= 0 {
			return i
		}
	}
	return -1
}

// Within returns the index in there of the first of wanted that exists, or of the structure that contains it, as meta
// for meta.label; or -1.
func Within(there, wanted []string) int {
	if at := Index(there, wanted); at >= 0 {
		return at
	}
	structures := slices.Clone(wanted)
	for i, name := range structures {
		structures[i], _, _ = strings.Cut(name, ".")
	}
	return Index(there, structures)
}

// noColumn returns the error of a table without a path column, or without any.
func noColumn(c Columns, there string) error {
	if c.Cells {
		return &spool.Error{Op: "list", Class: spool.ErrCorrupt,
			Text: fmt.Sprintf("the first row names no columns: %.200s", spool.Redacted(there))}
	}
	return &spool.Error{Op: "list", Class: spool.ErrCorrupt,
		Text: fmt.Sprintf("no column of the manifest is called %s; there are %.200s", strings.Join(c.Path, ", "),
			spool.Redacted(there))}
}
