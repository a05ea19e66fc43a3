package catalog

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/arrow"
	"github.com/spoolmedia/spool/source/table"
)

// earlierTable is the table that a new one replaces. A nil one has no rows.
type earlierTable struct {
	rows  table.Cells
	at    map[string]int // rows by their names
	width bool           // it has the columns of a survey
	kept  atomic.Int64   // samples whose values were taken from it
}

// openEarlier opens a table by its name; nil if there is none.
func openEarlier(ctx context.Context, name string) (*earlierTable, error) {
	open := func(context.Context) (spool.Object, error) { return spool.File(name).Open() }
	rows, err := arrow.Open(ctx, open, table.Columns{Path: []string{"path"}, Size: []string{"size"},
		Version: []string{"etag"}, Cells: true}, table.NewCache(1<<30))
	if errors.Is(err, spool.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, spool.InFile(err, name)
	}
	e := &earlierTable{rows: rows.(table.Cells), at: make(map[string]int, rows.Len())}
	for _, c := range e.rows.Columns() {
		e.width = e.width || c.Name == "width"
	}
	for k := range rows.Len() {
		row, err := rows.Row(k)
		if err != nil {
			return nil, spool.InFile(err, name)
		}
		e.at[row.Path] = k
	}
	return e, nil
}

// same fills in the values of a sample whose file has the size and version that the table has, and reports whether it
// has these.
func (e *earlierTable) same(ctx context.Context, name string, s *surveyed) bool {
	if e == nil || !e.width {
		return false
	}
	k, ok := e.at[name]
	if !ok {
		return false
	}
	if row, err := e.rows.Row(k); err != nil || row.Size != s.size || row.Version != s.version || s.version == "" {
		return false
	}
	got := surveyed{size: s.size, version: s.version}
	for _, x := range []struct {
		column string
		set    func(text string)
	}{
		{"format", func(text string) { got.format = text }}, {"error", func(text string) { got.class = text }},
		{"width", func(text string) { got.width = int64(number(text)) }},
		{"height", func(text string) { got.height = int64(number(text)) }},
		{"frames", func(text string) { got.frames = int64(number(text)) }},
		{"duration", func(text string) { got.duration = number(text) }},
		{"rate", func(text string) { got.rate = number(text) }},
		{"channels", func(text string) { got.channels = int64(number(text)) }},
	} {
		cell, err := e.rows.Cell(ctx, k, x.column)
		if err != nil {
			return false
		}
		x.set(string(cell.Data))
	}
	*s = got
	e.kept.Add(1)
	return true
}

// compare says how a listing differs from the table. Without a survey, versions are those that the listing has.
func (e *earlierTable) compare(found *source.Listing, s *survey) string {
	var added, changed, same int
	for i := range found.Len() {
		p := found.Placement(i)
		if s != nil {
			p.Size, p.Version = s.rows[i].size, s.rows[i].version
		}
		k, ok := 0, false
		if e != nil {
			k, ok = e.at[p.Name]
		}
		if !ok {
			added++
			continue
		}
		row, err := e.rows.Row(k)
		if err != nil || p.Version != row.Version || p.Version != "" && p.Size != row.Size {
			changed++
		} else {
			same++
		}
	}
	gone := 0
	if e != nil {
		gone = len(e.at) - changed - same
	}
	return fmt.Sprintf("%d samples are new, %d changed, %d as before, %d gone", added, changed, same, gone)
}
