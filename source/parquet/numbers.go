package parquet

import (
	"context"
	"encoding/binary"
	"strings"

	"github.com/parquet-go/parquet-go/format"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source/table"
)

// numbersKey is the cache key of a chunk as Numbers.
type numbersKey struct{ chunk *chunk }

// Numbers returns the numbers of a column in a row group.
func (c *cells) Numbers(ctx context.Context, part int, column string) (table.Numbers, error) {
	l, dtype, err := c.numeric(column)
	if err != nil {
		return table.Numbers{}, err
	}
	x := &c.chunks[l.index][part]
	return table.Cached(ctx, c.reader.cache, numbersKey{x}, func(ctx context.Context) (table.Numbers, int64, error) {
		if x.err != nil {
			return table.Numbers{}, 0, x.err
		}
		o, err := c.reader.file(ctx)
		if err != nil {
			return table.Numbers{}, 0, err
		}
		defer o.Close()
		n := numbers{chunk: x, dtype: dtype, room: c.reader.cache.Limit()}
		err = n.read(ctx, o)
		return table.Numbers{DType: n.dtype, Width: n.width, Data: n.data}, int64(cap(n.data)), err
	})
}

// numeric returns the one leaf of a column of numbers, or of lists of them, and its type as Numbers.
func (c *cells) numeric(column string) (*leaf, spool.DType, error) {
	n := c.nodes[strings.ToLower(column)]
	if n == nil {
		return nil, 0, failed(spool.ErrNotFound, "no column is called %s", column)
	}
	leaves := n.leaves(nil)
	if len(leaves) == 1 {
		if dtype, ok := leaves[0].dtype(); ok {
			return leaves[0], dtype, nil
		}
	}
	return nil, 0, failed(spool.ErrUnsupported, "column %s is neither numbers nor lists of numbers", column)
}

// dtype returns the type of a leaf as Numbers, if it has one.
func (l *leaf) dtype() (d spool.DType, ok bool) {
	switch {
	case l.meaning == isHalf:
		return spool.Float16, true
	case l.meaning == isDecimal || l.spans():
		return 0, false
	}
	switch l.kind {
	case format.Boolean:
		return spool.Uint8, true
	case format.Float:
		return spool.Float32, true
	case format.Double:
		return spool.Float64, true
	case format.Int32:
		if l.meaning != isUnsigned {
			return spool.Int32, true
		}
	}
	return spool.Int64, true
}

// numbers are the numbers of a chunk, as far as they have been read.
type numbers struct {
	*chunk
	dtype spool.DType
	room  int64
	rows  int // that have begun
	width int // 0: not known yet
	last  int // numbers of the last row
	data  []byte
}

// read reads all numbers of a chunk.
func (n *numbers) read(ctx context.Context, o spool.Object) error {
	const step = 1 << 20
	var now values
	var dictionary *values
	err := n.pages(ctx, o, step, func(p page, w *window) error {
		data, err := w.contents(p, n.room)
		if err != nil {
			return err
		}
		if p.dictionary {
			dictionary = &values{}
			return dictionary.decode(n.leaf, p, append([]byte(nil), data...), nil, n.room)
		}
		if err := now.decode(n.leaf, p, data, dictionary, n.room); err != nil {
			return err
		}
		return n.add(&now, p.values)
	})
	if err != nil {
		return err
	}
	if n.rows != n.chunk.rows {
		return corrupt("column %s has the values of %d rows, and there are %d", n.leaf.name, n.rows, n.chunk.rows)
	}
	return n.ended()
}

// add appends the numbers of a page.
func (n *numbers) add(v *values, entries int) error {
	if n.leaf.repeats == 0 {
		n.width = 1
		n.rows += entries
	}
	for i := range entries {
		if n.leaf.repeats > 0 {
			if len(v.repeats) == 0 || v.repeats[i] == 0 {
				if err := n.ended(); err != nil {
					return err
				}
				n.rows, n.last = n.rows+1, 0
			}
			n.last++
		}
		at := v.index(i)
		if at < 0 {
			return failed(spool.ErrUnsupported, "column %s lacks values, or has empty lists", n.leaf.name)
		}
		n.number(v, at)
	}
	if int64(len(n.data)) > n.room {
		return failed(spool.ErrTooLarge, "column %s takes more memory than is kept of decompressed data", n.leaf.name)
	}
	return nil
}

// ended checks the length of the last row.
func (n *numbers) ended() error {
	if n.leaf.repeats == 0 || n.rows == 0 {
		return nil
	}
	if n.width == 0 {
		n.width = n.last
	}
	if n.last != n.width {
		return failed(spool.ErrUnsupported, "column %s has lists of %d and of %d numbers", n.leaf.name, n.width, n.last)
	}
	return nil
}

// number appends a number.
func (n *numbers) number(v *values, at int) {
	switch {
	case n.dtype == spool.Float16:
		n.data = append(n.data, v.spans[at].of(v.data)...)
	case n.dtype == spool.Uint8:
		n.data = append(n.data, byte(v.ints[at]))
	case n.dtype.Size() == 4:
		n.data = binary.NativeEndian.AppendUint32(n.data, uint32(v.ints[at]))
	case n.leaf.kind == format.Int32: // unsigned
		n.data = binary.NativeEndian.AppendUint64(n.data, uint64(uint32(v.ints[at])))
	default:
		n.data = binary.NativeEndian.AppendUint64(n.data, uint64(v.ints[at]))
	}
}
