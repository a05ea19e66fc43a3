package table

import (
	"bytes"
	"errors"
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
	if s.path < 0 && !c.Cells {
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

func (s *separated) parse(text []byte) (line, error) {
	fields, err := s.fields(text)
	if err != nil {
		return nil, err
	}
	return separatedLine{s, fields}, nil
}

// separatedLine is the fields of a row.
type separatedLine struct {
	*separated
	fields []string
}

func (l separatedLine) row() (Row, error) {
	if len(l.fields) <= max(l.path, l.label, l.key) {
		return Row{}, errColumns
	}
	field := func(column int) string {
		if column < 0 || column >= len(l.fields) {
			return ""
		}
		return l.fields[column]
	}
	row := Row{Path: field(l.path), Label: strings.TrimSpace(field(l.label)), Key: field(l.key)}
	row.stored(field(l.size), field(l.version))
	return row, nil
}

func (l separatedLine) cell(column string) (Cell, error) {
	at := Index(l.header, []string{column})
	switch {
	case at < 0:
		return Cell{}, nil
	case at >= len(l.fields):
		return Cell{}, errColumns
	case l.fields[at] == "":
		return Cell{}, nil
	}
	return Cell{Type: Text, Data: []byte(l.fields[at])}, nil
}

func (s *separated) columns() []Column {
	columns := make([]Column, len(s.header))
	for i, name := range s.header {
		columns[i] = Column{Name: name, Type: Text, Untyped: true}
	}
	return columns
}

// labelOf splits only as much of a row as it needs.
func (s *separated) labelOf(text []byte) (string, bool) {
	if s.quotes || s.label < 0 || len(text) > maxRow {
		l, err := s.parse(text)
		if err != nil {
			return "", false
		}
		row, err := l.row()
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
	fields := make([]string, 0, len(s.header))
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
