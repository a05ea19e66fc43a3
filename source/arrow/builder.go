package arrow

import (
	"encoding/binary"
	"slices"
)

// builder makes a FlatBuffer from its end to its beginning. Objects are named by their distance from the end.
type builder struct{ data []byte }

// prepend writes bytes before the others, aligned as numbers of align bytes are.
func (b *builder) prepend(p []byte, align int) int {
	size := len(p) + len(b.data)
	padding := (align - size%align) % align
	b.data = slices.Concat(p, make([]byte, padding), b.data)
	return len(b.data)
}

// number prepends a little-endian integer of size bytes.
func (b *builder) number(v int64, size int) int {
	p := binary.LittleEndian.AppendUint64(nil, uint64(v))
	return b.prepend(p[:size], size)
}

// refer prepends an offset that leads to an object.
func (b *builder) refer(to int) int {
	padding := (4 - len(b.data)%4) % 4
	return b.number(int64(len(b.data)+padding+4-to), 4)
}

// text prepends a string.
func (b *builder) text(s string) int {
	b.prepend(append([]byte(s), 0), 4)
	return b.number(int64(len(s)), 4)
}

// structs prepends a vector of structures, each of size bytes.
func (b *builder) structs(data []byte, size int) int {
	b.prepend(data, 8)
	n := int64(0)
	if len(data) > 0 {
		n = int64(len(data) / size)
	}
	return b.number(n, 4)
}

// references prepends a vector of offsets that lead to objects.
func (b *builder) references(objects []int) int {
	for _, to := range slices.Backward(objects) {
		b.refer(to)
	}
	if len(objects) == 0 {
		b.prepend(nil, 4)
	}
	return b.number(int64(len(objects)), 4)
}

// value is a field of a table: a number of size bytes, or with size 0 an offset that leads to an object.
type value struct {
	field, size int
	v           int64
}

// table prepends a table.
func (b *builder) table(values ...value) int {
	b.prepend(nil, 4)
	end, fields := len(b.data), 0
	at := make([]int, 16)
	for _, x := range values {
		if x.size == 0 {
			at[x.field] = b.refer(int(x.v))
		} else {
			at[x.field] = b.number(x.v, x.size)
		}
		fields = max(fields, x.field+1)
	}
	begin := b.number(0, 4) // leads to the index, see below
	index := binary.LittleEndian.AppendUint16(nil, uint16(4+2*fields))
	index = binary.LittleEndian.AppendUint16(index, uint16(begin-end))
	for _, place := range at[:fields] {
		if place > 0 {
			place = begin - place
		}
		index = binary.LittleEndian.AppendUint16(index, uint16(place))
	}
	before := b.prepend(index, 2)
	binary.LittleEndian.PutUint32(b.data[before-begin:], uint32(before-begin))
	return begin
}

// finish returns the buffer of a root object. Its size is a multiple of 8.
func (b *builder) finish(root int) []byte {
	padding := (8 - (len(b.data)+4)%8) % 8
	b.data = append(make([]byte, padding), b.data...)
	b.refer(root)
	return b.data
}
