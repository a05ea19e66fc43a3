package receipt

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/jsonname"
	"github.com/spoolmedia/spool/source/arrow"
	"github.com/spoolmedia/spool/source/parquet"
	"github.com/spoolmedia/spool/source/table"
)

// Read returns the receipt of a batch in a file, whose name tells its form.
func Read(ctx context.Context, name string, number int) (r *Receipt, err error) {
	defer func() {
		if err == nil && (r.Rows[0].Before == nil || r.Rows[0].Before.Version == 0) {
			err = corrupt(name, fmt.Sprintf("batch %d has no state", number))
		}
	}()
	formats := map[string]table.Format{arrowEnding: arrow.Open, parquetEnding: parquet.Open}
	if open := formats[strings.ToLower(filepath.Ext(name))]; open != nil {
		return readTable(ctx, open, name, number)
	}
	return readLines(name, number)
}

func corrupt(name, text string) error {
	return &spool.Error{Op: "open", File: name, Class: spool.ErrCorrupt, Text: "no file of receipts: " + text}
}

// none is the error for a batch that a run of some batches did not have.
func none(name string, number, batches int) error {
	return &spool.Error{Op: "open", File: name, Class: spool.ErrNotFound,
		Text: fmt.Sprintf("no batch %d: the run had %d", number, batches)}
}

func readLines(name string, number int) (*Receipt, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, spool.InFile(err, name)
	}
	defer file.Close()
	all := json.NewDecoder(bufio.NewReader(file))
	r := new(Receipt)
	if err := all.Decode(&r.header); err != nil {
		return nil, corrupt(name, err.Error())
	}
	if r.Version == "" {
		return nil, corrupt(name, "it does not begin with the version of a run")
	}
	last := -1
	for last <= number {
		var row Row
		err := all.Decode(&row)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, corrupt(name, err.Error())
		}
		if last = int(row.Batch); last == number {
			r.Rows = append(r.Rows, row)
		}
	}
	if len(r.Rows) == 0 {
		return nil, none(name, number, last+1)
	}
	return r, nil
}

// cacheBytes is the memory for parts of a table that is read.
const cacheBytes = 64 << 20

// rowReader reads rows of a table. Its first error stays.
type rowReader struct {
	ctx     context.Context
	cells   table.Cells
	columns []table.Column
	err     error
}

// readTable finds the rows of the batch, which are in ascending order.
func readTable(ctx context.Context, format table.Format, name string, number int) (*Receipt, error) {
	rows, err := format(ctx, func(context.Context) (spool.Object, error) { return spool.File(name).Open() },
		table.Columns{Cells: true}, table.NewCache(cacheBytes))
	if err != nil {
		return nil, spool.InFile(err, name)
	}
	cells := rows.(table.Cells) // as Columns.Cells asks
	t := &rowReader{ctx: ctx, cells: cells, columns: cells.Columns()}
	r, n := new(Receipt), cells.Len()
	if n > 0 {
		t.json(0, runColumn, &r.header)
	}
	if t.err != nil || r.Version == "" {
		return nil, corrupt(name, "its first row has no version of a run")
	}
	for i := sort.Search(n, func(i int) bool { return t.batch(i) >= number }); i < n && t.batch(i) == number; i++ {
		r.Rows = append(r.Rows, t.row(i))
	}
	switch {
	case t.err != nil:
		return nil, corrupt(name, t.err.Error())
	case len(r.Rows) == 0:
		return nil, none(name, number, t.batch(n-1)+1)
	}
	return r, nil
}

// json reads a cell of JSON.
func (t *rowReader) json(i int, column string, into any) {
	cell, err := t.cells.Cell(t.ctx, i, column)
	if err == nil && len(cell.Data) > 0 {
		err = json.Unmarshal(cell.Data, into)
	}
	t.err = errors.Join(t.err, err)
}

// batch returns the number of a row's batch.
func (t *rowReader) batch(i int) (n int) {
	cell, err := t.cells.Cell(t.ctx, i, "batch")
	if err == nil {
		n, err = strconv.Atoi(string(cell.Data))
	}
	t.err = errors.Join(t.err, err)
	return n
}

// row returns a row, by way of an object with the keys of its columns.
func (t *rowReader) row(i int) (row Row) {
	object := map[string]json.RawMessage{}
	for _, c := range t.columns {
		cell, err := t.cells.Cell(t.ctx, i, c.Name)
		if err == nil && cell.Type == table.Text && c.Name != beforeColumn {
			cell.Data, err = jsonname.Name(cell.Data).MarshalJSON()
		}
		t.err = errors.Join(t.err, err)
		if cell.Type != table.Absent && c.Name != runColumn {
			object[c.Name] = cell.Data
		}
	}
	text, err := json.Marshal(object)
	if err == nil {
		err = json.Unmarshal(text, &row)
	}
	t.err = errors.Join(t.err, err)
	return row
}
