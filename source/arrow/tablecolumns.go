package arrow

import (
	"context"
	"io"
	"math"
	"slices"

	"github.com/spoolmedia/spool/internal/invalid"
	"github.com/spoolmedia/spool/source"
)

// The names of columns that say more of a listing than a CSV does.
const (
	labelColumn  = "label"
	offsetColumn = "offset"
	lengthColumn = "length"
)

// newTableWriter returns a writer with the columns that a listing has.
func newTableWriter(ctx context.Context, w io.Writer, l *source.Listing) *tableWriter {
	t := &tableWriter{fileWriter: fileWriter{w: w}, ctx: ctx, classes: l.Classes()}
	text := func(name string, value func() string) {
		t.columns = append(t.columns, &output{name: name, kind: utf8, fill: func(c *output, _ int) { c.string(value()) }})
	}
	integer := func(name string, value func() (int64, bool)) {
		t.columns = append(t.columns, &output{name: name, kind: integer, fill: func(c *output, _ int) {
			v, ok := value()
			c.number(uint64(v), ok)
		}})
	}
	float := func(name string, value func() float64) {
		t.columns = append(t.columns, &output{name: name, kind: float, fill: func(c *output, _ int) {
			v := value()
			c.number(math.Float64bits(v), !math.IsInf(v, 0))
		}})
	}
	text("path", func() string { return t.placed.Name })
	if l.LabelsAreClasses() {
		text(labelColumn, func() string {
			if t.placed.Label < 0 {
				return ""
			}
			return t.classes[t.placed.Label]
		})
	} else {
		t.classes = nil
		integer(labelColumn, func() (int64, bool) { return t.placed.Label, t.placed.Label >= 0 })
	}
	text("key", func() string { return t.placed.Key })
	integer("size", func() (int64, bool) { return t.placed.Size, t.placed.Version != "" })
	text("etag", func() string { return t.placed.Version })
	if l.Packed() {
		integer(offsetColumn, func() (int64, bool) { return t.placed.Offset, t.placed.Packed })
		integer(lengthColumn, func() (int64, bool) { return t.placed.Length, t.placed.Packed })
	}
	if t.segmented = l.Segmented(); t.segmented {
		float("start", func() float64 { return t.segment.Start })
		float("end", func() float64 { return t.segment.End })
		integer("stream", func() (int64, bool) {
			if t.segment.Stream == nil {
				return -1, false
			}
			return int64(*t.segment.Stream), true
		})
	}
	return t
}

// add adds columns of the caller.
func (t *tableWriter) add(more []Column) error {
	for _, m := range more {
		c := &output{name: m.Name}
		switch {
		case m.Integers != nil:
			c.kind = integer
			c.fill = func(c *output, i int) {
				v, ok := m.Integers(i)
				c.number(uint64(v), ok)
			}
		case m.Floats != nil:
			c.kind = float
			c.fill = func(c *output, i int) {
				v, ok := m.Floats(i)
				c.number(math.Float64bits(v), ok)
			}
		case m.Texts != nil:
			c.kind = utf8
			c.fill = func(c *output, i int) { c.string(m.Texts(i)) }
		default:
			return invalid.Errorf("column %s has no function", m.Name)
		}
		at := slices.IndexFunc(t.columns, func(there *output) bool { return there.name == m.Name })
		switch {
		case at < 0:
			t.columns = append(t.columns, c)
			t.further = append(t.further, m.Name)
		case (m.Name == "size" || m.Name == "etag") && t.columns[at].kind == c.kind:
			t.columns[at] = c
		default:
			return invalid.Errorf("the table already has a column %s", m.Name)
		}
	}
	return nil
}

// row adds row i to all columns.
func (t *tableWriter) row(l *source.Listing, i int) error {
	t.placed = l.Placement(i)
	if t.segmented {
		t.segment = source.Segment{Start: math.Inf(-1), End: math.Inf(1)}
		part, err := l.Segment(t.ctx, i)
		if err != nil {
			return err
		}
		if part != nil {
			t.segment = *part
		}
	}
	t.text = 0
	for _, c := range t.columns {
		if c.fill(c, i); c.kind == utf8 {
			t.text += len(c.data)
		}
	}
	t.rows++
	return nil
}
