package table

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// ColumnKind is the type of all values of a column.
type ColumnKind uint8

// The kinds of columns, by their values.
const (
	NoValues ColumnKind = iota // no row has a value
	Whole                      // numbers that are an int
	Floating                   // numbers
	Words                      // text
	Truth                      // true and false
	Binary                     // bytes
	Mixed                      // lists, structures, or values of several kinds
)

// String returns the kind in messages.
func (k ColumnKind) String() string {
	return [...]string{"a column without values", "whole numbers", "numbers", "text", "truth values", "bytes",
		"values of any type"}[k]
}

// kindOfFormat returns the kind of a column whose type is known: see Column.Format. It is NoValues for other types.
func kindOfFormat(format string) ColumnKind {
	switch {
	case format == "":
	case strings.ContainsRune("cCsSiIlt", rune(format[0])):
		return Whole
	case strings.ContainsRune("efgd", rune(format[0])):
		return Floating
	case format == "u":
		return Words
	case format == "b":
		return Truth
	case format[0] == 'z' || format[0] == 'w':
		return Binary
	case format[0] == '+':
		return Mixed
	}
	return NoValues
}

// Format returns the type of the values of a kind: see Column.Format. Values of several kinds are text.
func (k ColumnKind) Format() string {
	switch k {
	case Whole:
		return "l"
	case Floating:
		return "g"
	case Truth:
		return "b"
	case Binary:
		return "z"
	}
	return "u"
}

// kindOf returns the kind of a value. Text that is a number in JSON is one if values are untyped.
func kindOf(c Cell, untyped bool) ColumnKind {
	switch c.Type {
	case Absent:
		return NoValues
	case Text:
		if !untyped || !isNumber(c.Data) {
			return Words
		}
		fallthrough
	case Number:
		if _, err := strconv.Atoi(string(c.Data)); err == nil {
			return Whole
		}
		return Floating
	case Bytes:
		return Binary
	}
	if s := string(c.Data); s == "true" || s == "false" {
		return Truth
	}
	return Mixed
}

// isNumber reports whether text is a number in JSON.
func isNumber(data []byte) bool {
	return len(data) > 0 && (data[0] == '-' || '0' <= data[0] && data[0] <= '9') && json.Valid(data)
}

// join returns the kind of a column with values of both kinds. In an untyped one, text may be anything.
func (k ColumnKind) join(other ColumnKind, untyped bool) ColumnKind {
	low, high := min(k, other), max(k, other)
	switch {
	case low == high || low == NoValues:
		return high
	case low == Whole && high == Floating:
		return Floating
	case untyped:
		return Words
	}
	return Mixed
}

// ColumnKinds returns the kinds of columns. It reads all of their values, unless the table knows their types. In an
// untyped column, as in CSV, text counts as a number if it is one in JSON. Rows that cannot be read do not count. The
// error is that of ctx.
func ColumnKinds(ctx context.Context, cells Cells, names []string) ([]ColumnKind, error) {
	kinds, untyped := make([]ColumnKind, len(names)), make([]bool, len(names))
	var unknown []int // positions of names
	for i, name := range names {
		c, _ := ColumnOf(cells, name)
		kinds[i], untyped[i] = kindOfFormat(c.Format), c.Untyped
		if kinds[i] == NoValues {
			unknown = append(unknown, i)
		}
	}
	if unknown == nil {
		return kinds, nil
	}
	found := make([][]ColumnKind, Runs(cells.Len()))
	err := Together(ctx, cells.Len(), func(run, from, to int) error {
		here := slices.Clone(kinds)
		for k := from; k < to; k++ {
			for _, i := range unknown {
				if cell, err := cells.Cell(ctx, k, names[i]); err == nil {
					here[i] = here[i].join(kindOf(cell, untyped[i]), untyped[i])
				}
			}
		}
		found[run] = here
		return nil
	})
	for _, here := range found {
		for i := range here {
			kinds[i] = kinds[i].join(here[i], untyped[i])
		}
	}
	return kinds, err
}

// ColumnOf returns the column with a name, in any case. ok is false if the table does not know it.
func ColumnOf(cells Cells, name string) (c Column, ok bool) {
	columns := cells.Columns()
	at := slices.IndexFunc(columns, func(c Column) bool { return strings.EqualFold(c.Name, name) })
	if at < 0 {
		return Column{}, false
	}
	return columns[at], true
}
