package source

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source/table"
)

// recordTable is a table whose rows are records.
type recordTable struct {
	*manifest
	cells   table.Cells
	columns table.Columns // with which it was opened
	inputs  []input
	types   []table.Column // of typed inputs
}

func (t *recordTable) typeOf(input int) table.Column { return t.types[input] }

// table adds the rows of a table.
func (r *recordLister) table(name string) error {
	r.noteRemote(name)
	t, err := r.openTable(name)
	if ended := ended(r.ctx, "list", name); ended != nil {
		return ended
	}
	if err != nil {
		r.problems.add(spool.InFile(err, name))
		return nil
	}
	columns := columnNames(t.cells)
	for i := range r.inputs {
		in := &r.inputs[i]
		if !slices.ContainsFunc(in.names, func(name string) bool { return containsFold(columns, name) }) {
			r.lacking(in, name, "no column is called %s", in.among(columns))
		}
	}
	if named, ok := t.rows.(table.Named); ok {
		notice, err := r.opts.unused(named.Names(), t.columns, r.inputs)
		if err != nil {
			r.problems.add(spool.InFile(err, name))
			return nil
		}
		r.notices.add(name, notice)
	}
	if r.opts.Segments {
		if err := t.findSegments(r.ctx, columns, r.inputs); err != nil {
			return r.refused(name, err)
		}
	}
	for _, class := range t.names {
		r.classes[class] = true
	}
	r.remote = r.remote || t.remote
	var rows records = t
	if !r.where.all() {
		switch s, err := r.selected(name, t.cells); {
		case err != nil:
			return r.refused(name, err)
		case s != nil:
			rows = selectedRecords{t, s}
		}
	}
	r.addContainer(recordContainer{rows})
	return nil
}

// openTable opens a table and reads what the listing needs.
func (r *recordLister) openTable(name string) (*recordTable, error) {
	c := r.opts.columns()
	c.Cells, c.Path, c.Size, c.Version = true, nil, nil, nil
	if at := slices.IndexFunc(r.inputs, func(in input) bool { return !in.Value }); at >= 0 {
		c.Path = r.inputs[at].names
	}
	m, err := readManifest(r.ctx, name, r.partOpener(), c)
	if errors.Is(err, table.ErrLabel) && r.opts.Label == "" { // the column is an input, which may be anything
		c.Label = slices.DeleteFunc(slices.Clone(c.Label), func(name string) bool { return usedBy(r.inputs, name) })
		m, err = readManifest(r.ctx, name, r.partOpener(), c)
	}
	if err != nil {
		return nil, err
	}
	cells, ok := m.rows.(table.Cells)
	if !ok {
		return nil, errNoCells
	}
	t := &recordTable{manifest: m, cells: cells, columns: c, inputs: r.inputs}
	if err := t.examine(r.ctx); err != nil {
		return nil, err
	}
	return t, t.findTypes(r.ctx)
}

// findTypes finds the types of typed inputs.
func (t *recordTable) findTypes(ctx context.Context) error {
	t.types = make([]table.Column, len(t.inputs))
	for i, in := range t.inputs {
		found := &t.types[i]
		for _, name := range in.names {
			column, known := table.ColumnOf(t.cells, name)
			if !in.Typed || !known {
				continue
			}
			switch {
			case column.Untyped:
				column.Format = "u"
			case column.Format == "":
				kinds, err := table.ColumnKinds(ctx, t.cells, []string{name})
				if err != nil {
					return err
				}
				column.Format = kinds[0].Format()
			}
			if found.Format != "" && (found.Format != column.Format || found.Element != column.Element) {
				column.Format, column.Element = "u", ""
			}
			*found = column
		}
		found.Format = cmp.Or(found.Format, "u")
	}
	return nil
}

// examine finds where relative paths start, and whether some are URLs.
func (t *recordTable) examine(ctx context.Context) error {
	for _, in := range t.inputs {
		if in.Value {
			continue
		}
		for _, column := range t.cells.Columns() {
			if column.Type != table.Text || !containsFold(in.names, column.Name) {
				continue
			}
			for k := range min(t.len(), examinedRows) {
				cell, err := t.cells.Cell(ctx, k, column.Name)
				if spool.ClassOf(err) == spool.ErrCanceled || spool.ClassOf(err) == spool.ErrTimeout {
					return err
				}
				if err == nil && cell.Type == table.Text {
					t.remote = t.remote || t.parts.opts.isRemote(t.from.resolve(string(cell.Data)))
				}
			}
		}
	}
	t.from.decided = true
	return nil
}

func columnNames(cells table.Cells) []string {
	var names []string
	for _, c := range cells.Columns() {
		names = append(names, c.Name)
	}
	return names
}

func containsFold(names []string, name string) bool {
	return slices.ContainsFunc(names, func(other string) bool { return strings.EqualFold(other, name) })
}

func (t *recordTable) damage() error { return nil }

func (t *recordTable) item(k int) Item {
	row, label, err := t.labeled(k)
	if err != nil || row.Held || row.Path == "" {
		row.Path = t.at(k)
	}
	return Item{Name: spool.Redacted(row.Path), Label: label, Key: row.Key}
}

func (t *recordTable) openInput(ctx context.Context, k, i int) (spool.Object, error) {
	if err := ended(ctx, "open", t.at(k)); err != nil {
		return nil, err
	}
	if row, _, err := t.labeled(k); err != nil {
		return nil, t.rowError(k, row, err)
	}
	in := &t.inputs[i]
	for _, column := range in.names {
		cell, err := t.cells.Cell(ctx, k, column)
		if err != nil {
			return nil, t.bad(k, column, err)
		}
		if cell.Type == table.Absent {
			continue
		}
		if in.Value {
			return t.bytes(k, column, cell.Data), nil
		}
		return t.media(ctx, k, column, cell)
	}
	if in.Optional {
		return nil, nil
	}
	return nil, lacks(t.at(k), "the row has no value in column %s", in)
}

// rowError returns the error of a row, or of its label if the row could be read.
func (t *recordTable) rowError(k int, row table.Row, err error) error {
	names := columnNames(t.cells)
	at := slices.IndexFunc(t.columns.Label, func(label string) bool { return containsFold(names, label) })
	if at < 0 || row.Label == "" && !errors.Is(err, table.ErrLabel) {
		return &RowError{Err: t.badRow(k, err)}
	}
	column := t.columns.Label[at]
	return &RowError{Column: column, Err: t.bad(k, column, err)}
}

// media opens the file that a cell names or holds.
func (t *recordTable) media(ctx context.Context, k int, column string, cell table.Cell) (spool.Object, error) {
	path := cell.Path
	switch cell.Type {
	case table.Bytes:
		return t.bytes(k, column, cell.Data), nil
	case table.Text:
		path = string(cell.Data)
	case table.JSON:
		if data, ok := bytesOf(cell.Data); ok {
			return t.bytes(k, column, data), nil
		}
	}
	switch {
	case strings.IndexByte(path, 0) >= 0:
		return nil, t.bad(k, column, errNUL)
	case path == "":
		return nil, t.bad(k, column, refused("%s, where a path, a URL or bytes are needed (source.Input.Value takes it "+
			"as it is)", cell.Type))
	}
	path = t.from.resolve(path)
	o, err := t.file(ctx, table.Row{Path: path})
	return t.orPart(ctx, path, o, err)
}

// bytesOf returns the bytes of a list of bytes.
func bytesOf(list []byte) ([]byte, bool) {
	if len(list) == 0 || list[0] != '[' {
		return nil, false
	}
	var numbers []uint8Number
	if json.Unmarshal(list, &numbers) != nil {
		return nil, false
	}
	data := make([]byte, len(numbers))
	for i, n := range numbers {
		data[i] = byte(n)
	}
	return data, true
}

// uint8Number is a byte that is a number in JSON: a list of bytes itself would be base64.
type uint8Number uint8

// bytes returns an object in memory.
func (t *recordTable) bytes(k int, column string, data []byte) spool.Object {
	return spool.Bytes{Data: data, Name: t.at(k) + "/" + column}
}

// bad returns the error of a value that cannot be read.
func (t *recordTable) bad(k int, column string, err error) error {
	class := spool.ClassOf(err)
	if class == "" {
		class = spool.ErrCorrupt
	}
	text := err.Error()
	if e, ok := errors.AsType[*spool.Error](err); ok {
		text = e.Detail()
	}
	return &spool.Error{Op: "open", File: t.at(k), Class: class, Text: "column " + column + ": " + text, Err: err}
}
