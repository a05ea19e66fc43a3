package column

import (
	"fmt"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
)

// NumberFormat returns the type of numbers in arrays: "f" for Float32. It is empty for others.
func NumberFormat(d spool.DType) string {
	return map[spool.DType]string{spool.Uint8: "C", spool.Uint16: "S", spool.Int16: "s", spool.Int32: "i",
		spool.Int64: "l", spool.Float16: "e", spool.Float32: "f", spool.Float64: "g"}[d]
}

// NumberField returns the column of an array with a number, or a list of numbers, for each sample.
func NumberField(name string, sample spool.Desc) Field {
	format := NumberFormat(sample.DType)
	if len(sample.Shape) == 0 {
		return Field{Name: name, Format: format}
	}
	n, _ := sample.Shape.Elems()
	return Field{Name: name, Format: fmt.Sprintf("+w:%d", n), Element: format}
}

// Of returns the columns of a batch of records in host memory, for the fields of loader.Loader.Columns. Everything is
// copied, so columns stay valid without the batch. A field that the batch does not have is a column of missing values.
// Errors are those of NewBuilder and Builder.Append.
func Of(b *batch.Batch, fields []Field) ([]Column, error) {
	columns := make([]Column, len(fields))
	for i, f := range fields {
		if array := arrayOf(b, f.Name); array >= 0 {
			columns[i] = numbers(b, array, f)
			continue
		}
		c, err := NewBuilder(f, b.Len())
		if err != nil {
			return nil, err
		}
		for s := range b.Samples {
			if v := valueOf(&b.Samples[s], f.Name); v.Desc.Shape == nil {
				c.Null()
			} else if err := c.Append(v.Data); err != nil {
				return nil, err
			}
		}
		columns[i] = c.Column()
	}
	return columns, nil
}

// arrayOf returns the position of an array, or -1.
func arrayOf(b *batch.Batch, name string) int {
	for i, f := range b.Fields() {
		if f.Name == name {
			return i
		}
	}
	return -1
}

// valueOf returns a sample's value of a field; the zero value if it has none.
func valueOf(s *batch.Sample, name string) batch.Value {
	for _, v := range s.Values {
		if v.Field == name {
			return v
		}
	}
	return batch.Value{}
}

// numbers returns the column of an array. Samples that lack the field have its default there.
func numbers(b *batch.Batch, array int, f Field) Column {
	return Numbers(f, b.Len(), b.FieldBytes(array), func(i int) bool { return b.Samples[i].Lacks(f.Name) })
}

// Numbers returns a column of n values that are in memory, which is copied. missing reports which of them are.
func Numbers(f Field, n int, memory []byte, missing func(i int) bool) Column {
	c := Column{Field: f, Len: n, Data: append([]byte(nil), memory...)}
	if f.Element != "" {
		c.Elements = &Column{Field: Field{Name: "item", Format: f.Element}, Len: n * length(f.Format), Data: c.Data}
		c.Data = nil
	}
	for i := range n {
		if !missing(i) {
			continue
		}
		if c.Valid == nil {
			c.Valid = make([]byte, (n+7)/8)
			for k := range n {
				c.Valid[k/8] |= 1 << (k % 8)
			}
		}
		c.Valid[i/8] &^= 1 << (i % 8)
		c.Nulls++
	}
	return c
}
