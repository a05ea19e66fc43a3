package batch

import "github.com/spoolmedia/spool"

// Field is one of the arrays that the samples of a batch consist of.
type Field struct {
	Name   string     // of a record's field; empty where a sample is one array
	Sample spool.Desc // shape, type and layout of one sample
}

// Value is a field of a record whose size varies between samples: text, bytes, boxes or points.
type Value struct {
	Field string
	// Desc describes Data. Text, JSON and bytes are uint8, [length]. The zero Desc means that the sample lacks an optional
	// field.
	Desc spool.Desc
	Data []byte
}

// fieldAlign is the alignment of a field's array in a slab.
const fieldAlign = 64

// layout is where the arrays of a slab's fields are.
type layout struct {
	fields []Field
	size   []int // bytes of one sample, by field
	base   []int // where a field's array begins in a slab
	total  int   // bytes of a slab
}

// newLayout returns the layout of slabs with the given number of slots. The fields have sizes.
func newLayout(fields []Field, slots int) layout {
	l := layout{fields: fields, size: make([]int, len(fields)), base: make([]int, len(fields))}
	for f := range fields {
		l.size[f], _ = fields[f].Sample.Bytes()
		l.base[f] = (l.total + fieldAlign - 1) / fieldAlign * fieldAlign
		l.total = l.base[f] + slots*l.size[f]
	}
	return l
}

// at returns the memory of slots [from, to) of a field.
func (l *layout) at(slab *spool.Buffer, f, from, to int) []byte {
	begin, end := l.base[f]+from*l.size[f], l.base[f]+to*l.size[f]
	return slab.Bytes()[begin:end:end]
}

// SlabBytes returns the bytes of a slab for batches of size samples with the given fields, the spare slot included.
func SlabBytes(fields []Field, size int) int {
	l := newLayout(fields, size+1)
	return l.total
}
