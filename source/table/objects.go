package table

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spoolmedia/spool/internal/jsonname"
)

// objects is rows of JSON objects.
type objects struct {
	wanted Columns
	header []string // names in the first rows, sorted
	values []Column // in the first rows
}

func (o *objects) names() []string { return o.header }

func (o *objects) begin(c Columns, text []byte) ([]byte, error) {
	o.wanted = c
	text = text[blank(text):]
	if len(text) == 0 {
		return text, nil
	}
	row, err := o.object(text[:o.end(text)])
	if err != nil {
		return nil, noColumn(c, "none: the first row is no JSON object")
	}
	o.readNames(text)
	if _, ok := first(row, c.Path); !ok && !c.Cells {
		return nil, noColumn(c, strings.Join(o.header, ", "))
	}
	o.wanted = c.For(o.header)
	return text, nil
}

// readNames collects the names of the first rows' values. It leaves out null values, except labels.
func (o *objects) readNames(text []byte) {
	seen := map[string]bool{}
	for range examined {
		if text = text[blank(text):]; len(text) == 0 {
			break
		}
		end := o.end(text)
		row, _ := o.object(text[:end]) // opening its sample returns the error
		if o.wanted.Cells {
			o.describe(row, "", 0)
		}
		for name, value := range row {
			if string(value) != "null" || slices.Contains(o.wanted.Label, name) {
				seen[name] = true
			}
		}
		text = text[end:]
	}
	o.header = slices.Sorted(maps.Keys(seen))
}

func (o *objects) columns() []Column { return o.values }

// describe adds the values of an object to the described ones.
func (o *objects) describe(object map[string]json.RawMessage, prefix string, depth int) {
	const deep = 4
	for _, name := range slices.Sorted(maps.Keys(object)) {
		column := prefix + name
		cell, err := cellOf(object[name])
		if err != nil || cell.Type == Absent {
			continue
		}
		if !slices.ContainsFunc(o.values, func(c Column) bool { return c.Name == column }) {
			o.values = append(o.values, Column{Name: column, Type: cell.Type})
		}
		if inner := within(object[name]); inner != nil && depth < deep {
			o.describe(inner, column+".", depth+1)
		}
	}
}

// lookUp returns the value of a name, or nil. It prefers a name that contains dots to one within an object, and the
// exact name to one in another case.
func lookUp(object map[string]json.RawMessage, name string) json.RawMessage {
	if value, ok := object[name]; ok {
		return value
	}
	for _, other := range slices.Sorted(maps.Keys(object)) {
		if strings.EqualFold(other, name) {
			return object[other]
		}
	}
	for at := 0; ; at++ {
		dot := strings.IndexByte(name[at:], '.')
		if dot < 0 {
			return nil
		}
		at += dot
		if inner := within(lookUp(object, name[:at])); inner != nil {
			if value := lookUp(inner, name[at+1:]); value != nil {
				return value
			}
		}
	}
}

// within returns the values of an object, or nil for another value.
func within(value json.RawMessage) (inner map[string]json.RawMessage) {
	if len(value) == 0 || value[0] != '{' || json.Unmarshal(value, &inner) != nil {
		return nil
	}
	return inner
}

// cellOf returns a JSON value as a cell; nil is none.
func cellOf(value json.RawMessage) (Cell, error) {
	if missing(value) {
		return Cell{}, nil
	}
	switch c := value[0]; {
	case c == '"':
		text, err := jsonname.Unquote(value)
		return Cell{Type: Text, Data: []byte(text)}, err
	case c == '-' || '0' <= c && c <= '9':
		return Cell{Type: Number, Data: shortest(string(value))}, nil
	}
	cell := Cell{Type: JSON, Data: value}
	if inner := within(value); inner != nil && missing(inner["bytes"]) {
		cell.Path, _ = jsonname.Unquote(inner["path"]) // anything but text is no path
	}
	return cell, nil
}

// missing reports whether there is no value, or a null.
func missing(value json.RawMessage) bool { return len(value) == 0 || string(value) == "null" }

func (o *objects) end(text []byte) int { return lineEnd(text) }

func (o *objects) object(text []byte) (row map[string]json.RawMessage, err error) {
	if len(text) > maxRow {
		return nil, errRow
	}
	err = json.Unmarshal(text, &row)
	return row, err
}

func (o *objects) parse(text []byte) (line, error) {
	object, err := o.object(text)
	if err != nil {
		return nil, fmt.Errorf("no JSON object: %w", err)
	}
	return objectLine{o.wanted, object}, nil
}

// objectLine is the values of an object.
type objectLine struct {
	wanted Columns
	object map[string]json.RawMessage
}

func (l objectLine) cell(column string) (Cell, error) { return cellOf(lookUp(l.object, column)) }

func (l objectLine) row() (row Row, err error) {
	if row.Path, err = l.path(); err != nil {
		return Row{}, err
	}
	if row.Label, err = label(l.object, l.wanted.Label); err != nil {
		return Row{}, err
	}
	if row.Key, err = word(l.object, l.wanted.Key); err != nil {
		return Row{}, err
	}
	size, _ := word(l.object, l.wanted.Size)
	version, _ := word(l.object, l.wanted.Version)
	row.stored(size, version)
	return row, nil
}

// path returns the path of an object. Cells may have none.
func (l objectLine) path() (path string, err error) {
	if l.wanted.Cells {
		for _, name := range l.wanted.Path {
			switch cell, err := l.cell(name); {
			case err == nil && cell.Type == Text:
				return string(cell.Data), nil
			case err == nil && cell.Type != Absent:
				return cell.Path, nil
			}
		}
		return "", nil
	}
	written, ok := first(l.object, l.wanted.Path)
	if !ok {
		return "", ErrNoPath
	}
	if path, err = jsonname.Unquote(written); err != nil {
		return "", fmt.Errorf("the path is no text: %w", err)
	}
	return path, nil
}

func (o *objects) labelOf(text []byte) (string, bool) {
	l, err := o.parse(text)
	if err != nil {
		return "", false
	}
	row, err := l.row()
	return row.Label, err == nil
}

// label returns the value of the first name that exists: a string, or an integer.
func label(object map[string]json.RawMessage, names []string) (string, error) {
	written, ok := first(object, names)
	if !ok || written[0] == '"' {
		return word(object, names)
	}
	if _, err := strconv.ParseInt(string(written), 10, 64); err != nil {
		return "", fmt.Errorf("%w: %.20s", ErrLabel, written)
	}
	return string(written), nil
}

// word returns the value of the first name that exists: a string's content, or anything else as it is written.
func word(object map[string]json.RawMessage, names []string) (word string, err error) {
	written, ok := first(object, names)
	if !ok {
		return "", nil
	}
	if written[0] != '"' {
		return string(written), nil
	}
	err = json.Unmarshal(written, &word)
	return word, err
}

// first returns the value of the first name that exists and is not null.
func first(row map[string]json.RawMessage, names []string) (json.RawMessage, bool) {
	for _, name := range names {
		if value, ok := row[name]; ok && string(value) != "null" {
			return value, true
		}
	}
	return nil, false
}
