package arrow

import (
	"context"
	"math"
	"strconv"

	"github.com/spoolmedia/spool"
)

// column is a column of a mapped file, or one that stays in memory: text, stored end to end, or integers.
type column struct {
	text []byte
	ends []int64
	ints []int64
	x    *field

	contents *contents // of a mapped file; nil if the column is in memory
	reader   *reader
}

// missingInt represents a missing integer.
const missingInt = math.MinInt64

// at returns a value as text; empty if it is missing.
func (c *column) at(k int) (string, error) {
	switch {
	case c == nil || c.x.kind == null:
		return "", nil
	case c.contents != nil:
		return c.mapped(k)
	case c.x.kind == integer:
		return integerText(c.ints[k]), nil
	}
	from := int64(0)
	if k > 0 {
		from = c.ends[k-1]
	}
	return string(c.text[from:c.ends[k]]), nil
}

func integerText(v int64) string {
	if v == missingInt {
		return ""
	}
	return strconv.FormatInt(v, 10)
}

// mapped returns a value of a mapped file as text.
func (c *column) mapped(k int) (string, error) {
	b, row := c.contents.locate(k)
	one, room := column{x: c.x}, c.reader.cache.Limit()
	if err := one.add(c.reader.file(context.Background()), b, row, &room); err != nil {
		return "", err
	}
	if c.x.kind == integer {
		return integerText(one.ints[0]), nil
	}
	return string(one.text), nil
}

// column reads a column. It subtracts the memory that it takes from room.
func (c *contents) column(in *file, x *field, room *int64) (*column, error) {
	col := &column{x: x}
	if in.reader.mapping != nil {
		col.contents, col.reader = c, in.reader
		return col, nil
	}
	for i := range c.batches {
		b := &c.batches[i]
		if *room -= 8 * int64(b.rows); *room < 0 {
			return nil, tooLarge
		}
		for row := range int64(b.rows) {
			if err := col.add(in, b, row, room); err != nil {
				return nil, err
			}
		}
	}
	return col, nil
}

var tooLarge = failed(spool.ErrTooLarge, "columns that take more memory than is kept of decompressed data")

// add appends a value.
func (c *column) add(in *file, b *batch, row int64, room *int64) error {
	there := true
	for f := c.x; f != nil && there; f = f.within {
		var err error
		if there, err = in.valid(b, f, row); err != nil {
			return err
		}
	}
	switch {
	case c.x.kind == null:
	case c.x.kind == integer && !there:
		c.ints = append(c.ints, missingInt)
	case c.x.kind == integer:
		size := int64(c.x.width / 8)
		p, err := in.read(b.buffers[c.x.first+1], row*size, size)
		if err != nil {
			return err
		}
		c.ints = append(c.ints, integerOf(c.x, p))
	case there:
		buffer, from, to, err := in.place(b, c.x, row)
		if err != nil {
			return err
		}
		if *room -= to - from; *room < 0 {
			return tooLarge
		}
		p, err := in.read(buffer, from, to-from)
		if err != nil {
			return err
		}
		c.text = append(c.text, p...)
		fallthrough
	default:
		c.ends = append(c.ends, int64(len(c.text)))
	}
	return nil
}
