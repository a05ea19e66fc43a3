package parquet

import (
	"context"
	"math"
	"strconv"

	"github.com/parquet-go/parquet-go/format"

	"github.com/spoolmedia/spool"
)

// column is a column that stays in memory, one piece for each row group.
type column []piece

// piece is text, stored end to end, or integers.
type piece struct {
	text []byte
	ends []uint32
	ints []int64
}

// missingInt represents a missing integer.
const missingInt = math.MinInt64

// at returns a value as text; empty if it is missing.
func (c column) at(group, row int) string {
	if c == nil {
		return ""
	}
	p := &c[group]
	if p.ints != nil {
		if p.ints[row] == missingInt {
			return ""
		}
		return strconv.FormatInt(p.ints[row], 10)
	}
	from := uint32(0)
	if row > 0 {
		from = p.ends[row-1]
	}
	return string(p.text[from:p.ends[row]])
}

// column reads the column of a leaf; nil without one. It subtracts the memory that the column takes from room.
func (f *footer) column(ctx context.Context, o spool.Object, l *leaf, room *int64) (column, error) {
	if l == nil {
		return nil, nil
	}
	c := make(column, len(f.groups))
	for g := range f.groups {
		x, err := f.chunk(g, l)
		if err != nil {
			return nil, err
		}
		if c[g], err = x.read(ctx, o, room); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// read reads all values of a chunk.
func (x *chunk) read(ctx context.Context, o spool.Object, room *int64) (piece, error) {
	const step = 1 << 20
	var p piece
	var now values
	var dictionary *values
	err := x.pages(ctx, o, step, func(pg page, w *window) error {
		data, err := w.contents(pg, *room)
		if err != nil {
			return err
		}
		if pg.dictionary {
			dictionary = &values{}
			return dictionary.decode(x.leaf, pg, append([]byte(nil), data...), nil, *room)
		}
		if err := now.decode(x.leaf, pg, data, dictionary, *room); err != nil {
			return err
		}
		return p.add(&now, pg.values, x, room)
	})
	return p, err
}

// add appends the values of a page with that many rows.
func (p *piece) add(v *values, rows int, x *chunk, room *int64) error {
	text, size := 0, 8*rows
	if x.leaf.kind == format.ByteArray {
		for _, s := range v.spans {
			text += int(s.to - s.from)
		}
		size = text + 4*rows
	}
	if *room -= int64(size); *room < 0 || len(p.text)+text > math.MaxUint32 {
		return failed(spool.ErrTooLarge, "columns that take more memory than is kept of decompressed data")
	}
	// The other pages are probably similar to the first one.
	expected := func(n int) int { return min(int(float64(n)*float64(x.rows)/float64(max(1, rows))*1.01), int(*room)+n) }
	if x.leaf.kind != format.ByteArray {
		if p.ints == nil {
			p.ints = make([]int64, 0, expected(rows))
		}
		p.integers(v, rows)
		return nil
	}
	if p.ends == nil {
		p.text, p.ends = make([]byte, 0, expected(text)), make([]uint32, 0, expected(rows))
	}
	for row := range rows {
		if i := v.index(row); i >= 0 {
			p.text = append(p.text, v.spans[i].of(v.data)...)
		}
		p.ends = append(p.ends, uint32(len(p.text)))
	}
	return nil
}

func (p *piece) integers(v *values, rows int) {
	for row := range rows {
		i := v.index(row)
		if i < 0 {
			p.ints = append(p.ints, missingInt)
			continue
		}
		p.ints = append(p.ints, v.ints[i])
	}
}
