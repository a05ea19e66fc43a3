package parquet

import (
	"encoding/binary"

	"github.com/parquet-go/parquet-go/encoding/thrift"
)

// promises goes through a structure in Thrift's compact protocol before it is decoded: the decoder would take memory for
// as many elements as a list says it has, and go as deep as structures are nested.
// See https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md.
type promises struct {
	data []byte
	left int // elements that all lists together may still have
}

// Bounds that no file comes near. An element of a list becomes up to some 500 bytes.
const (
	maxElements = 1 << 20
	maxDepth    = 24
)

// hold reports whether the structure that data begins with keeps what it promises, and how many bytes it has.
func hold(data []byte) (n int, ok bool) {
	p := promises{data: data, left: maxElements}
	ok = p.structure(0)
	return len(data) - len(p.data), ok
}

func (p *promises) structure(depth int) bool {
	if depth > maxDepth {
		return false
	}
	for {
		b, ok := p.byte()
		kind := thrift.Type(b & 0xf)
		if !ok || b == 0 {
			return ok
		}
		if b>>4 == 0 && !p.varint() { // the field's number, else its distance from the one before
			return false
		}
		if kind != thrift.TRUE && kind != thrift.FALSE && !p.value(kind, depth) {
			return false
		}
	}
}

// value passes over a value; booleans in lists are bytes, those of fields were in the field's type.
func (p *promises) value(kind thrift.Type, depth int) bool {
	switch kind {
	case thrift.TRUE, thrift.FALSE, thrift.I8:
		return p.skip(1)
	case thrift.I16, thrift.I32, thrift.I64:
		return p.varint()
	case thrift.DOUBLE:
		return p.skip(8)
	case thrift.BINARY:
		n, ok := p.length()
		return ok && p.skip(n)
	case thrift.STRUCT:
		return p.structure(depth + 1)
	case thrift.LIST, thrift.SET:
		return p.list(depth + 1)
	}
	return false // neither maps nor anything else is in Parquet's structures
}

func (p *promises) list(depth int) bool {
	b, ok := p.byte()
	if !ok || depth > maxDepth {
		return false
	}
	n := uint64(b >> 4)
	if n == 15 {
		if n, ok = p.length(); !ok {
			return false
		}
	}
	if n > uint64(min(p.left, len(p.data))) { // an element has a byte at least
		return false
	}
	p.left -= int(n)
	for range n {
		if !p.value(thrift.Type(b&0xf), depth) {
			return false
		}
	}
	return true
}

func (p *promises) byte() (byte, bool) {
	if len(p.data) == 0 {
		return 0, false
	}
	b := p.data[0]
	p.data = p.data[1:]
	return b, true
}

func (p *promises) varint() bool { _, ok := p.length(); return ok }

func (p *promises) length() (uint64, bool) {
	v, n := binary.Uvarint(p.data)
	if n <= 0 {
		return 0, false
	}
	p.data = p.data[n:]
	return v, true
}

func (p *promises) skip(n uint64) bool {
	if n > uint64(len(p.data)) {
		return false
	}
	p.data = p.data[n:]
	return true
}
