package lerobot

import (
	"context"
	"math"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source/parquet"
	"github.com/spoolmedia/spool/source/table"
)

// open opens a Parquet file of the data set.
func (d *DataSet) open(ctx context.Context, name string) (table.Numeric, error) {
	open := func(ctx context.Context) (spool.Object, error) { return d.folder.open(ctx, name) }
	rows, err := parquet.Open(ctx, open, table.Columns{Cells: true}, d.cache)
	if err != nil {
		return nil, d.folder.inFile(name, err)
	}
	return rows.(table.Numeric), nil
}

// dataFile is an open data file.
type dataFile struct {
	table.Numeric
	name  string
	first []int // row of each row group
}

// data returns the data file with the rows of an episode. Its footer is cached, at an estimated size.
func (d *DataSet) data(ctx context.Context, e *episode) (*dataFile, error) {
	return table.Cached(ctx, d.cache, e.data, func(ctx context.Context) (*dataFile, int64, error) {
		name, err := expand(d.info.dataPath, "", e.data)
		if err != nil {
			return nil, 0, err
		}
		rows, err := d.open(ctx, name)
		if err != nil {
			return nil, 0, err
		}
		f := &dataFile{Numeric: rows, name: d.folder.name(name)}
		n := 0
		for _, size := range rows.Sizes() {
			f.first = append(f.first, n)
			n += size
		}
		if want := d.files[e.data]; n != want.to-want.from {
			return nil, 0, spool.InFile(corrupt("%d rows, and the episodes in it have %d", n, want.to-want.from), f.name)
		}
		const column = 512 // bytes of its description
		return f, int64(len(f.first) * len(rows.Columns()) * column), nil
	})
}

// locate returns the row group of a row, and the row in it.
func (f *dataFile) locate(k int) (part, row int) {
	for part = len(f.first) - 1; f.first[part] > k; part-- {
	}
	return part, k - f.first[part]
}

// at returns the position of a frame in its data file.
func (d *DataSet) at(e *episode, frame int) int { return e.from + frame - d.files[e.data].from }

// numbers returns the numbers of a column in some frames of an episode, one after the other.
func (d *DataSet) numbers(ctx context.Context, column string, e *episode, frames ...int) (all table.Numbers,
	err error) {
	f, err := d.data(ctx, e)
	if err != nil {
		return table.Numbers{}, err
	}
	have := -1
	var numbers table.Numbers
	for _, frame := range frames {
		part, row := f.locate(d.at(e, frame))
		if part != have {
			if numbers, err = f.Numbers(ctx, part, column); err != nil {
				return table.Numbers{}, spool.InFile(err, f.name)
			}
			if have >= 0 && (numbers.DType != all.DType || numbers.Width != all.Width) {
				return table.Numbers{}, spool.InFile(corrupt("column %s has rows of several lengths", column), f.name)
			}
			have = part
		}
		all.DType, all.Width = numbers.DType, numbers.Width
		all.Data = append(all.Data, numbers.Row(row)...)
	}
	return all, nil
}

// cell returns a value of a column.
func (d *DataSet) cell(ctx context.Context, column string, e *episode, frame int) (table.Cell, error) {
	f, err := d.data(ctx, e)
	if err != nil {
		return table.Cell{}, err
	}
	cell, err := f.Cell(ctx, d.at(e, frame), column)
	if err == nil && cell.Type == table.Absent {
		err = failed(spool.ErrNotFound, "row %d has no %s", d.at(e, frame)+1, column)
	}
	return cell, spool.InFile(err, f.name)
}

// check compares the numbers and the time of a row in its data file with the metadata.
func (d *DataSet) check(ctx context.Context, r row) error {
	var found [3]float64
	for i, column := range []string{"episode_index", "frame_index", "timestamp"} {
		n, err := d.numbers(ctx, column, r.episode, r.frame)
		if err != nil {
			return err
		}
		found[i] = number(n, 0)
	}
	f, err := d.data(ctx, r.episode)
	if err != nil {
		return err
	}
	if found[0] != float64(r.number) || found[1] != float64(r.frame) {
		return spool.InFile(corrupt("row %d is frame %v of episode %v, and should be frame %d of episode %d",
			d.at(r.episode, r.frame)+1, found[1], found[0], r.frame, r.number), f.name)
	}
	const single = 1.0 / (1 << 23) // relative distance of two numbers of single precision
	if t := d.time(r); !(math.Abs(found[2]-t) <= d.tolerance+single*t) {
		return spool.InFile(failed(spool.ErrNoSuchFrame, "row %d has the timestamp %v, and frame %d at %v fps is at %v",
			d.at(r.episode, r.frame)+1, found[2], r.frame, d.info.FPS, t), f.name)
	}
	return nil
}
