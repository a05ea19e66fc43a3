package arrow

import "encoding/binary"

// flat is a FlatBuffer, the form of a message's metadata. What is beyond its end reads as zero, and sets damaged. See
// https://flatbuffers.dev/internals.
type flat struct {
	data    []byte
	damaged bool
}

// at returns n bytes at a position, or zeros.
func (b *flat) at(at, n int) []byte {
	if at < 0 || n < 0 || at > len(b.data) || n > len(b.data)-at {
		b.damaged = true
		return make([]byte, min(max(n, 0), 8))
	}
	return b.data[at : at+n]
}

// offset returns the position that an offset leads to.
func (b *flat) offset(at int) int { return at + int(binary.LittleEndian.Uint32(b.at(at, 4))) }

// root returns the outermost object.
func (b *flat) root() object { return object{b, b.offset(0)} }

// object is a table of a FlatBuffer.
type object struct {
	*flat
	begin int
}

// field returns the position of a field, or 0 if it has its default.
func (o object) field(n int) int {
	index := o.begin - int(int32(binary.LittleEndian.Uint32(o.at(o.begin, 4))))
	if 4+2*n+2 > int(binary.LittleEndian.Uint16(o.at(index, 2))) {
		return 0
	}
	if off := int(binary.LittleEndian.Uint16(o.at(index+4+2*n, 2))); off != 0 {
		return o.begin + off
	}
	return 0
}

// number returns a signed integer of 1, 2, 4 or 8 bytes.
func (o object) number(n, size int, otherwise int64) int64 {
	at := o.field(n)
	if at == 0 {
		return otherwise
	}
	switch p := o.at(at, size); size {
	case 1:
		return int64(int8(p[0]))
	case 2:
		return int64(int16(binary.LittleEndian.Uint16(p)))
	case 4:
		return int64(int32(binary.LittleEndian.Uint32(p)))
	default:
		return int64(binary.LittleEndian.Uint64(p))
	}
}

// object returns an inner object. ok is false if it is missing.
func (o object) object(n int) (inner object, ok bool) {
	at := o.field(n)
	if at == 0 {
		return object{}, false
	}
	return object{o.flat, o.offset(at)}, true
}

// vector returns the position and the number of elements of a vector, each of size bytes.
func (o object) vector(n, size int) (at, elements int) {
	at = o.field(n)
	if at == 0 {
		return 0, 0
	}
	at = o.offset(at)
	elements = int(binary.LittleEndian.Uint32(o.at(at, 4)))
	if at += 4; at > len(o.data) || elements > (len(o.data)-at)/size {
		o.damaged = true
		return 0, 0
	}
	return at, elements
}

// text returns a string.
func (o object) text(n int) string {
	at, size := o.vector(n, 1)
	return string(o.at(at, size))
}
