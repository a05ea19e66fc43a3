package arrow

import (
	"math"
	"strconv"

	"github.com/spoolmedia/spool"
)

// column is a column that stays in memory: text, stored end to end, or integers.
type column struct {
	text []byte
	ends []int64
	ints []int64
	x    *field
}

// missingInt represents a missing integer.
const missingInt = math.MinInt64

// at returns a value as text; empty if it is missing.
func (c *column) at(k int) string {
	switch {
	case c == nil || c.x.kind == null:
		return ""
	case c.x.kind == integer:
		if c.ints[k] == missingInt {
			return ""
		}
		return strconv.FormatInt(c.ints[k], 10)
	}
	from := int64(0)
	if k > 0 {
		from = c.ends[k-1]
	}
	return string(c.text[from:c.ends[k]])
}

// column reads a column. It subtracts the memory that it takes from room.
func (c *contents) column(in *file, x *field, room *int64) (*column, error) {
	col := &column{x: x}
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
