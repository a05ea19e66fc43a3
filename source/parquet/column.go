package parquet

import (
	"context"
	"math"
	"strconv"

	"github.com/parquet-go/parquet-go/format"

	"github.com/spoolmedia/spool"
)

// column is a column that rows are read from: of a local file in pages, when they are needed, and of another file from
// memory.
type column struct {
	leaf   *leaf
	chunks []chunk // of each row group
	reader *reader
	pieces []piece // of each row group; nil if pages are read
}

// value is a value of a column: text, or a whole number.
type value struct {
	text   []byte
	number int64
	whole  bool
	there  bool
}

// String returns the value as text; empty if it is missing.
func (v value) String() string {
	if v.whole && v.there {
		return strconv.FormatInt(v.number, 10)
	}
	return string(v.text)
}

// part is successive values of a column.
type part interface {
	count() int
	value(i int) value
}

// part returns the values around a row, and the row's index there.
func (c *column) part(ctx context.Context, group, row int) (part, int, error) {
	if c.pieces != nil {
		return &c.pieces[group], row, nil
	}
	return c.reader.value(ctx, &c.chunks[group], row)
}

// at returns a value as text; empty if it is missing.
func (c *column) at(group, row int) (string, error) {
	if c == nil {
		return "", nil
	}
	p, i, err := c.part(context.Background(), group, row)
	if err != nil {
		return "", err
	}
	return p.value(i).String(), nil
}

// each calls do for n values of a row group, from a row on.
func (c *column) each(ctx context.Context, group, row, n int, do func(i int, v value)) error {
	for i := 0; i < n; {
		p, at, err := c.part(ctx, group, row+i)
		if err != nil {
			return err
		}
		for ; i < n && at < p.count(); i, at = i+1, at+1 {
			do(i, p.value(at))
		}
	}
	return nil
}

// count returns the number of entries of a page.
func (c *contents) count() int {
	if len(c.place) > 0 {
		return len(c.place)
	}
	return len(c.spans) + len(c.ints) + len(c.picks)
}

// value returns the value of an entry.
func (c *contents) value(entry int) value {
	i, from := c.index(entry), &c.values
	if i >= 0 && len(c.picks) > 0 {
		i, from = int(c.picks[i]), c.words
	}
	switch {
	case i < 0:
		return value{}
	case len(from.spans) > 0:
		return value{text: from.spans[i].of(from.data), there: true}
	}
	return value{number: from.ints[i], whole: true, there: true}
}

// piece is the values of a row group in memory: text, stored end to end, or integers.
type piece struct {
	text []byte
	ends []uint32
	ints []int64
}

// missingInt represents a missing integer.
const missingInt = math.MinInt64

func (p *piece) count() int { return len(p.ends) + len(p.ints) }

// value returns the value of a row. Empty text counts as missing.
func (p *piece) value(row int) value {
	if p.ints != nil {
		return value{number: p.ints[row], whole: true, there: p.ints[row] != missingInt}
	}
	from := uint32(0)
	if row > 0 {
		from = p.ends[row-1]
	}
	return value{text: p.text[from:p.ends[row]], there: p.ends[row] > from}
}

// column returns the column of a leaf; nil without one. If it is held, all values are read, and the memory that they
// take is subtracted from room.
func (f *footer) column(ctx context.Context, o spool.Object, l *leaf, r *reader, held bool, room *int64) (*column,
	error) {
	if l == nil {
		return nil, nil
	}
	c := &column{leaf: l, chunks: f.chunks(l), reader: r}
	if held {
		c.pieces = make([]piece, len(f.groups))
	}
	for g := range c.chunks {
		x := &c.chunks[g]
		if x.err != nil {
			return nil, x.err
		}
		if held {
			if err := c.pieces[g].read(ctx, o, x, room); err != nil {
				return nil, err
			}
		}
	}
	return c, nil
}

// read reads all values of a chunk.
func (p *piece) read(ctx context.Context, o spool.Object, x *chunk, room *int64) error {
	const step = 1 << 20
	var now values
	var dictionary *values
	return x.pages(ctx, o, step, func(pg page, w *window) error {
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
