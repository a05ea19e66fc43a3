package parquet

import (
	"context"
	"strings"

	"github.com/parquet-go/parquet-go/format"

	"github.com/spoolmedia/spool/source/table"
)

// cells implements table.Cells.
type cells struct {
	rows
	reader  *reader
	own     *reader // of columns that are read in order
	groups  []format.RowGroup
	chunks  [][]chunk // of each leaf, one for each row group
	columns []table.Column
	nodes   map[string]*node // by name in lower case
}

func newCells(r rows, reader, own *reader, f *footer) *cells {
	c := &cells{rows: r, reader: reader, own: own, groups: f.groups, nodes: map[string]*node{}}
	for _, l := range f.leaves {
		c.chunks = append(c.chunks, f.chunks(l))
	}
	c.describe("", f.columns)
	return c
}

// describe adds columns and those of structures within them. Lists are cells as a whole.
func (c *cells) describe(prefix string, columns []*node) {
	for _, n := range columns {
		name := prefix + n.name
		if c.nodes[strings.ToLower(name)] != nil {
			continue
		}
		c.nodes[strings.ToLower(name)] = n
		column := table.Column{Name: name, Type: n.cellType()}
		if n.leaf != nil && !n.repeated {
			column.Format = n.leaf.format
		} else if element := n.element(); element != "" {
			column.Format, column.Element = "+l", element
		}
		c.columns = append(c.columns, column)
		if !n.repeated && !n.shell {
			c.describe(name+".", n.children)
		}
	}
}

func (n *node) cellType() table.Type {
	if n.leaf != nil && !n.repeated {
		return n.leaf.cellType()
	}
	if bytes, _ := n.media(); bytes != nil {
		return table.Bytes
	}
	return table.JSON
}

// media returns the children of a structure of bytes and path, as in Hugging Face's datasets, or nil.
func (n *node) media() (bytes, path *leaf) {
	if n.repeated || len(n.children) != 2 {
		return nil, nil
	}
	for _, child := range n.children {
		switch {
		case child.leaf == nil || child.repeated:
		case child.leaf.cellType() == table.Bytes && strings.EqualFold(child.name, "bytes"):
			bytes = child.leaf
		case child.leaf.cellType() == table.Text && strings.EqualFold(child.name, "path"):
			path = child.leaf
		}
	}
	if bytes == nil || path == nil {
		return nil, nil
	}
	return bytes, path
}

// Columns describes the columns, and those within structures.
func (c *cells) Columns() []table.Column { return c.columns }

// Sizes returns the number of rows of each row group.
func (c *cells) Sizes() []int { return c.sizes() }

// Cell returns the value of a column in row k.
func (c *cells) Cell(ctx context.Context, k int, column string) (table.Cell, error) {
	n := c.nodes[strings.ToLower(column)]
	if n == nil {
		return table.Cell{}, nil
	}
	if n.leaf != nil && !n.repeated {
		return c.plain(ctx, k, n.leaf)
	}
	bytes, path := n.media()
	if bytes == nil {
		return c.assemble(ctx, k, n)
	}
	where, err := c.plain(ctx, k, path)
	if err != nil {
		return table.Cell{}, err
	}
	cell, err := c.plain(ctx, k, bytes)
	if err == nil && cell.Type == table.Absent {
		cell, err = c.assemble(ctx, k, n)
	}
	cell.Path = string(where.Data)
	if cell.Type == table.JSON && cell.Path == "" {
		return table.Cell{}, err // a structure without anything in it
	}
	return cell, err
}

// plain returns a value of a column that is no list.
func (c *cells) plain(ctx context.Context, k int, l *leaf) (table.Cell, error) {
	group, row := c.locate(k)
	p, entry, err := c.reader.value(ctx, &c.chunks[l.index][group], row)
	if err != nil {
		return table.Cell{}, err
	}
	i := p.index(entry)
	if i < 0 {
		return table.Cell{}, nil
	}
	return l.cell(&p.values, i), nil
}

// assemble returns a structure or a list as JSON.
func (c *cells) assemble(ctx context.Context, k int, n *node) (table.Cell, error) {
	group, row := c.locate(k)
	a := &assembly{cursors: make([]cursor, len(c.chunks)), room: c.reader.cache.Limit()}
	for _, l := range n.leaves(nil) {
		x := &c.chunks[l.index][group]
		if l.repeats > 0 {
			runs, err := c.reader.list(ctx, x, row)
			if err != nil {
				return table.Cell{}, err
			}
			a.cursors[l.index] = runs
			continue
		}
		p, entry, err := c.reader.value(ctx, x, row)
		if err != nil {
			return table.Cell{}, err
		}
		a.cursors[l.index] = cursor{{p, entry, entry + 1}}
	}
	if level, _ := a.peek(n.first); !n.repeated && level < n.levels {
		return table.Cell{}, nil
	}
	a.value(n)
	for _, l := range n.leaves(nil) {
		if a.err == nil && len(a.cursors[l.index].left()) > 0 {
			a.err = corrupt("column %s has more values than its row", l.name)
		}
	}
	return table.Cell{Type: table.JSON, Data: a.out}, a.err
}

// leaves appends the leaves below a node.
func (n *node) leaves(to []*leaf) []*leaf {
	if n.leaf != nil {
		return append(to, n.leaf)
	}
	for _, child := range n.children {
		to = child.leaves(to)
	}
	return to
}
