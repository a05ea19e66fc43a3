package arrow

import (
	"bytes"
	"context"
	"encoding/binary"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spoolmedia/spool/source/table"
)

// columnwise is the values of one column in successive rows of one batch, read at once.
type columnwise struct {
	field *field
	valid []byte // a bit for each row, from the bit begin on; nil if all are there
	begin int64
	data  []byte // integers, or the text of all rows
	ends  []byte // of text: where each begins, and where the last one ends, as offsets of 4 bytes
}

// there reports whether value i exists.
func (c *columnwise) there(i int) bool {
	at := c.begin + int64(i)
	return c.valid == nil || c.valid[at/8]>>(at%8)&1 == 1
}

// integer returns value i.
func (c *columnwise) integer(i int) int64 { return integerOf(c.field, c.data[i*c.field.width/8:]) }

// integers sets values to those of all rows, and there to whether each exists.
func (c *columnwise) integers(values []int64, there []bool) {
	switch x := c.field; {
	case x.width == 64:
		for i := range values {
			values[i] = int64(binary.LittleEndian.Uint64(c.data[8*i:]))
		}
	case x.width == 32 && !x.unsigned:
		for i := range values {
			values[i] = int64(int32(binary.LittleEndian.Uint32(c.data[4*i:])))
		}
	default:
		for i := range values {
			values[i] = c.integer(i)
		}
	}
	for i := range there {
		there[i] = c.valid == nil || c.there(i)
	}
}

// text returns value i.
func (c *columnwise) text(i int) []byte {
	first := binary.LittleEndian.Uint32(c.ends)
	from, to := binary.LittleEndian.Uint32(c.ends[4*i:]), binary.LittleEndian.Uint32(c.ends[4*i+4:])
	return c.data[from-first : to-first]
}

// columnwise reads n values of a field of integers, or of text with offsets of 4 bytes, that is in no structure. ok is
// false for others, and for values that cannot be read together.
func (f *file) columnwise(b *batch, x *field, row int64, n int) (c columnwise, ok bool) {
	if x.within != nil || x.kind != integer && x.kind != utf8 {
		return c, false
	}
	c.field, c.begin = x, row%8
	buffers := b.buffers[x.first:]
	var err error
	if buffers[0].size > 0 {
		if c.valid, err = f.read(buffers[0], row/8, (c.begin+int64(n)+7)/8); err != nil {
			return c, false
		}
		if !slices.ContainsFunc(c.valid, func(bits byte) bool { return bits != math.MaxUint8 }) {
			c.valid = nil
		}
	}
	if x.kind == integer {
		size := int64(x.width / 8)
		c.data, err = f.read(buffers[1], row*size, int64(n)*size)
		return c, err == nil
	}
	if c.ends, err = f.read(buffers[1], 4*row, 4*int64(n+1)); err != nil {
		return c, false
	}
	for i := range n {
		if binary.LittleEndian.Uint32(c.ends[4*i:]) > binary.LittleEndian.Uint32(c.ends[4*i+4:]) {
			return c, false
		}
	}
	from, to := binary.LittleEndian.Uint32(c.ends), binary.LittleEndian.Uint32(c.ends[4*n:])
	c.data, err = f.read(buffers[2], int64(from), int64(to-from))
	return c, err == nil
}

// runs yields the parts of rows [from, to) that are in one batch each: the first row, its batch, its place there, and
// the number of rows.
func (c *contents) runs(from, to, most int) iter.Seq2[int, run] {
	return func(yield func(int, run) bool) {
		for from < to {
			b, row := c.locate(from)
			n := min(to-from, b.rows-int(row), most)
			if !yield(from, run{b, row, n}) {
				return
			}
			from += n
		}
	}
}

// run is successive rows of a batch.
type run struct {
	batch *batch
	row   int64
	n     int
}

// Integers reads a column of integers: see table.Numbered.
func (c *cells) Integers(ctx context.Context, column string, from int, values []int64, there []bool) bool {
	x := c.fields[strings.ToLower(column)]
	if x == nil || x.kind != integer {
		return false
	}
	in := c.reader.file(ctx)
	defer in.Close()
	for k, part := range c.runs(from, from+len(values), len(values)) {
		read, ok := in.columnwise(part.batch, x, part.row, part.n)
		if !ok {
			return false
		}
		at := k - from
		read.integers(values[at:at+part.n], there[at:at+part.n])
	}
	return true
}

// Texts reads a column of text: see table.Worded.
func (c *cells) Texts(ctx context.Context, column string, from, n int, do func(i int, text []byte, there bool)) bool {
	x := c.fields[strings.ToLower(column)]
	if x == nil || x.kind != utf8 {
		return false
	}
	in := c.reader.file(ctx)
	defer in.Close()
	for k, part := range c.runs(from, from+n, table.RunRows) {
		read, ok := in.columnwise(part.batch, x, part.row, part.n)
		if !ok {
			return false
		}
		for i := range part.n {
			do(k-from+i, read.text(i), read.there(i))
		}
	}
	return true
}

// ReadLabels reads labels of a table that WriteTable wrote, which gives each row a path: see table.Labeled.
func (r *rows) ReadLabels(from int, labels []int64, number func(name []byte) int64) bool {
	if !r.ours || r.label == nil || r.label.x.kind == integer && r.Classes() != nil {
		return false
	}
	in := r.reader.file(context.Background())
	defer in.Close()
	var there [table.RunRows]bool
	for k, part := range r.runs(from, from+len(labels), table.RunRows) {
		read, ok := in.columnwise(part.batch, r.label.x, part.row, part.n)
		if !ok {
			return false
		}
		to := labels[k-from:][:part.n]
		if read.field.kind == utf8 {
			read.names(to, number)
			continue
		}
		if read.valid == nil {
			read.integers(to, nil)
		} else {
			read.integers(to, there[:part.n])
		}
		for i, label := range to {
			if to[i] = max(label, -1); read.valid != nil && !there[i] {
				to[i] = -1
			}
		}
	}
	return true
}

// names sets labels to the numbers of names. Successive rows often have the same.
func (c *columnwise) names(labels []int64, number func(name []byte) int64) {
	var last []byte
	label := int64(-1)
	for i := range labels {
		if !c.there(i) {
			labels[i] = -1
			continue
		}
		if name := c.text(i); !bytes.Equal(name, last) {
			last, label = name, number(name)
		}
		labels[i] = label
	}
}

// Labels yields the labels of all rows; empty for one that cannot be read.
func (r *rows) Labels() iter.Seq[string] {
	return func(yield func(string) bool) {
		names := map[string]string{} // few different ones
		var digits []byte
		intern := func(label []byte) string {
			name, known := names[string(label)]
			if !known {
				if name = string(label); len(names) < 1<<16 {
					names[name] = name
				}
			}
			return name
		}
		in := r.reader.file(context.Background())
		defer in.Close()
		for k, part := range r.runs(0, r.Len(), table.RunRows) {
			var read columnwise
			ok := false
			if r.label != nil {
				read, ok = in.columnwise(part.batch, r.label.x, part.row, part.n)
			}
			for i := range part.n {
				label := ""
				switch {
				case !ok:
					label, _ = r.label.at(k + i) // one that cannot be read is empty
				case !read.there(i):
				case r.label.x.kind == integer:
					digits = strconv.AppendInt(digits[:0], read.integer(i), 10)
					label = intern(digits)
				default:
					label = intern(read.text(i))
				}
				if !yield(label) {
					return
				}
			}
		}
	}
}
