package arrow

import (
	"context"
	"sort"
	"strings"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source/table"
)

// cells implements table.Cells.
type cells struct {
	rows
	described []table.Column
	fields    map[string]*field // by name in lower case
}

func newCells(r rows) *cells {
	c := &cells{rows: r, fields: map[string]*field{}}
	for _, column := range r.columns {
		c.describe("", column)
	}
	return c
}

// describe adds a column and those of structures within it.
func (c *cells) describe(prefix string, f *field) {
	if c.fields[f.name] != nil {
		return
	}
	c.fields[f.name] = f
	column := table.Column{Name: prefix + f.own, Type: f.cellType(), Format: f.format}
	if element := f.element(); element != "" {
		column.Format, column.Element = "+l", element
	}
	c.described = append(c.described, column)
	if f.kind == structure {
		for _, child := range f.children {
			c.describe(prefix+f.own+".", child)
		}
	}
}

// Columns describes the columns, and those within structures.
func (c *cells) Columns() []table.Column { return c.described }

// Cell returns the value of a column in row k.
func (c *cells) Cell(ctx context.Context, k int, column string) (table.Cell, error) {
	f := c.fields[strings.ToLower(column)]
	if f == nil {
		return table.Cell{}, nil
	}
	in := c.reader.file(ctx)
	defer in.Close()
	b, i := c.locate(k)
	for around := f; around != nil; around = around.within {
		if there, err := in.valid(b, around, i); err != nil || !there {
			return table.Cell{}, err
		}
	}
	return in.cell(b, f, i)
}

// locate returns the batch of a row, and the row's index in it.
func (c *contents) locate(k int) (*batch, int64) {
	at := sort.SearchInts(c.first, k+1) - 1
	return &c.batches[at], int64(k - c.first[at])
}

// cell returns value i of a field, which is there.
func (f *file) cell(b *batch, x *field, i int64) (table.Cell, error) {
	c := table.Cell{Type: x.cellType()}
	bytes, path := x.media()
	var err error
	switch {
	case kindNames[x.kind] != "":
		return table.Cell{}, failed(spool.ErrUnsupported, "column %s has the type %s", x.name, kindNames[x.kind])
	case bytes != nil:
		return f.medium(b, x, bytes, path, i)
	case c.Type == table.Text || c.Type == table.Bytes:
		in, from, to, err := f.place(b, x, i)
		if err != nil {
			return table.Cell{}, err
		}
		c.Data, err = f.read(in, from, to-from)
		return c, err
	default:
		w := &writer{file: f, batch: b, room: f.reader.cache.Limit(), plain: c.Type == table.Number}
		err = w.values(x, i, i+1)
		c.Data = w.out
	}
	return c, err
}

// medium returns a structure of bytes and path: the bytes, or without these the structure as JSON.
func (f *file) medium(b *batch, x, bytes, path *field, i int64) (c table.Cell, err error) {
	part := func(x *field) (table.Cell, error) {
		there, err := f.valid(b, x, i)
		if err != nil || !there {
			return table.Cell{}, err
		}
		return f.cell(b, x, i)
	}
	where, err := part(path)
	if err != nil {
		return table.Cell{}, err
	}
	if c, err = part(bytes); err != nil {
		return table.Cell{}, err
	}
	c.Path = string(where.Data)
	if c.Type != table.Absent || c.Path == "" {
		return c, nil
	}
	w := &writer{file: f, batch: b, room: f.reader.cache.Limit()}
	err = w.values(x, i, i+1)
	return table.Cell{Type: table.JSON, Data: w.out, Path: c.Path}, err
}
