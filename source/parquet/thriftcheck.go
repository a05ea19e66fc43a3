package parquet

import (
	"encoding/binary"

	"github.com/parquet-go/parquet-go/encoding/thrift"
)

// thriftChecker checks a structure in Thrift's compact protocol before it is decoded. The decoder itself has no limits:
// it allocates memory for as many elements as a list declares, and recurses as deep as structures are nested. See
// https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md.
type thriftChecker struct {
	data []byte
	left int // elements that all further lists together may have
}

// Bounds far above those of real files. An element of a list becomes up to some 500 bytes.
const (
	maxElements = 1 << 20
	maxDepth    = 24
)

// checkThrift reports whether the structure at the beginning of data has all the bytes that it declares, and returns
// its length.
func checkThrift(data []byte) (n int, ok bool) {
	p := thriftChecker{data: data, left: maxElements}
	ok = p.structure(0)
	return len(data) - len(p.data), ok
}

func (p *thriftChecker) structure(depth int) bool {
	if depth > maxDepth {
		return false
	}
	for {
		b, ok := p.byte()
		kind := thrift.Type(b & 0xf)
		if !ok || b == 0 {
			return ok
		}
		if b>>4 == 0 && !p.varint() { // the field's number, if not given as the distance from the previous one
			return false
		}
		if kind != thrift.TRUE && kind != thrift.FALSE && !p.value(kind, depth) {
			return false
		}
	}
}

// value skips a value. Booleans in lists are bytes; those in fields are part of the field's type.
func (p *thriftChecker) value(kind thrift.Type, depth int) bool {
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
	return false // Parquet's structures contain neither maps nor other types
}

func (p *thriftChecker) list(depth int) bool {
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
	if n > uint64(min(p.left, len(p.data))) { // an element has at least one byte
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

func (p *thriftChecker) byte() (byte, bool) {
	if len(p.data) == 0 {
		return 0, false
	}
	b := p.data[0]
	p.data = p.data[1:]
	return b, true
}

func (p *thriftChecker) varint() bool { _, ok := p.length(); return ok }

func (p *thriftChecker) length() (uint64, bool) {
	v, n := binary.Uvarint(p.data)
	if n <= 0 {
		return 0, false
	}
	p.data = p.data[n:]
	return v, true
}

func (p *thriftChecker) skip(n uint64) bool {
	if n > uint64(len(p.data)) {
		return false
	}
	p.data = p.data[n:]
	return true
}
