package batch

import (
	"slices"

	"github.com/spoolmedia/spool"
)

// Field is one of the arrays that the samples of a batch consist of.
type Field struct {
	Name string // of a record's field; empty where a sample is one array
	// Sample is the shape, type and layout of one sample. For a Collator, sides that vary are 0.
	Sample spool.Desc
}

// varies reports whether the samples of a collator's field differ in size.
func (f *Field) varies() bool { return slices.Contains(f.Sample.Shape, 0) }

// Value is a field of a record whose size varies between samples: text, bytes, boxes, points or masks of objects. It is
// owned by its sample, outside of the batch's memory.
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

	// Of fields whose samples differ in size: the shape of each sample, and, if the array has no padding, where each
	// begins in the array, and the end. nil for other fields, or if there are none.
	shapes [][]spool.Shape
	starts [][]int
	grids  [][][2]int // of fields of patches: the rows and columns of each sample
}

// newLayout returns the layout of slabs with the given number of slots. The fields have sizes.
func newLayout(fields []Field, slots int) layout {
	l := layout{fields: fields, size: make([]int, len(fields)), base: make([]int, len(fields))}
	for f := range fields {
		l.size[f], _ = fields[f].Sample.Bytes()
		l.append(f, slots*l.size[f])
	}
	return l
}

// append places the array of field f, which follows those placed before.
func (l *layout) append(f, bytes int) {
	l.base[f] = (l.total + fieldAlign - 1) / fieldAlign * fieldAlign
	l.total = l.base[f] + bytes
}

// ragged reports whether the samples of a field follow each other without padding, although they differ in size.
func (l *layout) ragged(f int) bool { return l.starts != nil && l.starts[f] != nil }

// start returns where sample i begins in a field's array.
func (l *layout) start(f, i int) int {
	if l.ragged(f) {
		return l.starts[f][i]
	}
	return i * l.size[f]
}

// at returns the memory of slots [from, to) of a field.
func (l *layout) at(slab *spool.Buffer, f, from, to int) []byte {
	begin, end := l.base[f]+l.start(f, from), l.base[f]+l.start(f, to)
	return slab.Bytes()[begin:end:end]
}

// SlabBytes returns the bytes of a slab for batches of size samples with the given fields, the spare slot included.
func SlabBytes(fields []Field, size int) int {
	l := newLayout(fields, size+1)
	return l.total
}
