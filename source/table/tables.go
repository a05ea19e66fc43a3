package table

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// maxRow is the most bytes of a row. It bounds the cost of each row in a file that is not a table.
const maxRow = 1 << 20

var (
	errRow     = errors.New("more than 1 MiB")
	errQuotes  = errors.New("quotes that do not match")
	errColumns = errors.New("fewer columns than the first row names")
)

// separated is rows of fields with a separator between them, as in RFC 4180. A quoted field may hold separators, line
// ends and doubled quotes. A quote elsewhere in a field is an ordinary character.
type separated struct {
	comma                           byte
	path, label, key, size, version int // columns; all but the first are -1 if missing
	quotes                          bool
	header                          []string // in lower case
}

func (s *separated) names() []string { return s.header }

func (s *separated) begin(c Columns, text []byte) ([]byte, error) {
	s.quotes = bytes.IndexByte(text, '"') >= 0
	text = text[blank(text):]
	end := s.end(text)
	names, err := s.fields(text[:end])
	if err != nil {
		return nil, noColumn(c, err.Error())
	}
	for i, name := range names {
		names[i] = strings.ToLower(strings.TrimSpace(name))
	}
	s.header = names
	c = c.For(names)
	s.path, s.label, s.key = Index(names, c.Path), Index(names, c.Label), Index(names, c.Key)
	s.size, s.version = Index(names, c.Size), Index(names, c.Version)
	if s.path < 0 {
		return nil, noColumn(c, strings.Join(names, ", "))
	}
	return text[end:], nil
}

// end returns the end of a row: a line feed outside of quotes. A quote that is not closed within maxRow affects only
// its own line.
func (s *separated) end(text []byte) int {
	line := lineEnd(text)
	if !s.quotes || bytes.IndexByte(text[:line], '"') < 0 {
		return line
	}
	begins := true // a field
	for i := 0; i < min(len(text), maxRow); i++ {
		switch c := text[i]; {
		case c == '"' && begins:
			closing := closingQuote(text[i+1 : min(len(text), maxRow)])
			if closing < 0 {
				return line
			}
			i += closing + 1
			begins = false
		case c == '\n':
			return i + 1
		default:
			begins = c == s.comma
		}
	}
	if len(text) > maxRow {
		return line
	}
	return len(text)
}

func lineEnd(text []byte) int {
	if n := bytes.IndexByte(text, '\n'); n >= 0 {
		return n + 1
	}
	return len(text)
}

// closingQuote returns the index of the quote that ends a field, or -1. Two quotes are one within the field.
func closingQuote(text []byte) int {
	for at := 0; ; at += 2 {
		n := bytes.IndexByte(text[at:], '"')
		if n < 0 {
			return -1
		}
		if at += n; at+1 >= len(text) || text[at+1] != '"' {
			return at
		}
	}
}

func (s *separated) row(text []byte) (Row, error) {
	fields, err := s.fields(text)
	if err != nil {
		return Row{}, err
	}
	if len(fields) <= max(s.path, s.label, s.key) {
		return Row{}, errColumns
	}
	field := func(column int) string {
		if column < 0 || column >= len(fields) {
			return ""
		}
		return fields[column]
	}
	row := Row{Path: fields[s.path], Label: strings.TrimSpace(field(s.label)), Key: field(s.key)}
	row.stored(field(s.size), field(s.version))
	return row, nil
}

// labelOf splits only as much of a row as it needs.
func (s *separated) labelOf(text []byte) (string, bool) {
	if s.quotes || s.label < 0 || len(text) > maxRow {
		row, err := s.row(text)
		return row.Label, err == nil
	}
	var label []byte
	for column, last := 0, max(s.path, s.label, s.key); ; column++ {
		field, rest, more := bytes.Cut(text, []byte{s.comma})
		if column == s.label {
			label = field
		}
		if column == last {
			return string(bytes.TrimSpace(label)), true
		}
		if text = rest; !more {
			return "", false
		}
	}
}

// fields splits a row.
func (s *separated) fields(text []byte) ([]string, error) {
	if len(text) > maxRow {
		return nil, errRow
	}
	row := strings.TrimSuffix(strings.TrimSuffix(string(text), "\n"), "\r")
	if !s.quotes {
		return strings.Split(row, string(s.comma)), nil
	}
	var fields []string
	for {
		field, rest, more := strings.Cut(row, string(s.comma))
		if strings.HasPrefix(row, `"`) {
			closing := closingQuote([]byte(row[1:]))
			if closing < 0 {
				return nil, errQuotes
			}
			field = strings.ReplaceAll(strings.ReplaceAll(row[1:1+closing], `""`, `"`), "\r\n", "\n")
			var behind string
			if behind, rest, more = strings.Cut(row[closing+2:], string(s.comma)); behind != "" {
				return nil, errQuotes
			}
		}
		fields = append(fields, field)
		if row = rest; !more {
			return fields, nil
		}
	}
}

// objects is rows of JSON objects.
type objects struct {
	columns Columns
	header  []string // names in the first rows, sorted
}

func (o *objects) names() []string { return o.header }

func (o *objects) begin(c Columns, text []byte) ([]byte, error) {
	o.columns = c
	text = text[blank(text):]
	if len(text) == 0 {
		return text, nil
	}
	row, err := o.object(text[:o.end(text)])
	if err != nil {
		return nil, noColumn(c, "none: the first row is no JSON object")
	}
	o.readNames(text)
	if _, ok := first(row, c.Path); !ok {
		return nil, noColumn(c, strings.Join(o.header, ", "))
	}
	o.columns = c.For(o.header)
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
		for name, value := range row {
			if string(value) != "null" || slices.Contains(o.columns.Label, name) {
				seen[name] = true
			}
		}
		text = text[end:]
	}
	o.header = slices.Sorted(maps.Keys(seen))
}

func (o *objects) end(text []byte) int { return lineEnd(text) }

func (o *objects) object(text []byte) (row map[string]json.RawMessage, err error) {
	if len(text) > maxRow {
		return nil, errRow
	}
	err = json.Unmarshal(text, &row)
	return row, err
}

func (o *objects) row(text []byte) (Row, error) {
	object, err := o.object(text)
	if err != nil {
		return Row{}, fmt.Errorf("no JSON object: %w", err)
	}
	var row Row
	written, ok := first(object, o.columns.Path)
	if !ok {
		return Row{}, ErrNoPath
	}
	if err := json.Unmarshal(written, &row.Path); err != nil {
		return Row{}, fmt.Errorf("the path is no text: %w", err)
	}
	if row.Label, err = label(object, o.columns.Label); err != nil {
		return Row{}, err
	}
	if row.Key, err = word(object, o.columns.Key); err != nil {
		return Row{}, err
	}
	size, _ := word(object, o.columns.Size)
	version, _ := word(object, o.columns.Version)
	row.stored(size, version)
	return row, nil
}

func (o *objects) labelOf(text []byte) (string, bool) {
	row, err := o.row(text)
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
