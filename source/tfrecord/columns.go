package tfrecord

import (
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/spoolmedia/spool/source/internal/held"
	"github.com/spoolmedia/spool/source/table"
)

// maxColumns is the most features of a file.
const maxColumns = 1 << 14

// seen is what the records of a file have in a feature.
type seen struct {
	kinds [intKind + 1]bool
	lists bool // a record has not one value
	data  bool // a value is not text
}

// prefixBytes of a value tell whether it is text.
const prefixBytes = 64

// note notes a feature of a record.
func (s *seen) note(in *held.Window, f feature) error {
	s.kinds[f.kind] = true
	switch f.kind {
	case bytesKind:
		m := message{in, f.at, f.at + f.size}
		if !m.more() {
			s.lists = true
			return nil
		}
		_, _, value, err := m.next()
		if err != nil {
			return err
		}
		s.lists = s.lists || m.more()
		p, err := in.Read(value.at, min(value.end-value.at, prefixBytes))
		if err != nil {
			return err
		}
		if int64(len(p)) < value.end-value.at {
			p = whole(p)
		}
		s.data = s.data || !isText(p)
	case floatKind:
		const packed, single = 6, 5 // bytes of a message with one number
		s.lists = s.lists || f.size != packed && f.size != single
	case intKind:
		const most = 12 // bytes of a message with one number
		if s.lists = s.lists || f.size > most; s.lists {
			return nil
		}
		p, err := in.Read(f.at, f.size)
		if err != nil {
			return err
		}
		l, err := parse(intKind, p)
		if err != nil {
			return err
		}
		s.lists = l.length() != 1
	}
	return nil
}

// whole cuts off a character that is not complete.
func whole(p []byte) []byte {
	for i := len(p) - 1; i >= max(0, len(p)-utf8.UTFMax); i-- {
		if utf8.RuneStart(p[i]) {
			if !utf8.FullRune(p[i:]) {
				return p[:i]
			}
			break
		}
	}
	return p
}

// column describes a feature.
func (s *seen) column(name string) table.Column {
	c := table.Column{Name: name, Type: table.JSON}
	mixed := 0
	for _, k := range s.kinds[bytesKind:] {
		if k {
			mixed++
		}
	}
	var format string
	switch {
	case mixed == 0:
		return table.Column{Name: name}
	case mixed > 1:
		return c
	case s.kinds[bytesKind]:
		c.Type, format = table.Text, "u"
		if s.data {
			c.Type, format = table.Bytes, "z"
		}
	case s.kinds[floatKind]:
		c.Type, format = table.Number, "f"
	default:
		c.Type, format = table.Number, "l"
	}
	if !s.lists {
		c.Format = format
		return c
	}
	c.Type, c.Format, c.Element = table.JSON, "+l", format
	if format == "z" {
		c.Element = ""
	}
	return c
}

// describe returns the columns, by their names.
func describe(features map[string]*seen) []table.Column {
	var columns []table.Column
	for _, name := range slices.Sorted(maps.Keys(features)) {
		columns = append(columns, features[name].column(name))
	}
	return columns
}
