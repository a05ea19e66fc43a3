package parity

import "encoding/binary"

// layout is what the first page of a TIFF file says about its samples.
type layout struct{ bits, planes, kind uint16 }

// deepPlanes reports whether the first page of a TIFF file has 16 bits a sample in separate planes.
func deepPlanes(data []byte) bool {
	l := layoutOf(data)
	return l.bits == 16 && l.planes == 2
}

// floatTIFF reports whether the samples of the first page of a TIFF file are floating-point numbers.
func floatTIFF(data []byte) bool { return layoutOf(data).kind == 3 }

// layoutOf reads the first page of a TIFF file; values that it lacks are 0.
func layoutOf(data []byte) (l layout) {
	const header, entry, bits, planes, kind = 8, 12, 258, 284, 339
	if len(data) < header {
		return l
	}
	var order binary.ByteOrder = binary.LittleEndian
	if data[0] == 'M' {
		order = binary.BigEndian
	}
	at := int64(order.Uint32(data[4:]))
	if at+2 > int64(len(data)) {
		return l
	}
	entries := data[at+2:]
	for n := order.Uint16(data[at:]); n > 0 && len(entries) >= entry; n-- {
		value := order.Uint16(entries[8:])
		place := int64(order.Uint32(entries[8:]))
		if order.Uint32(entries[4:]) > 2 && place+2 <= int64(len(data)) { // of several samples: their place
			value = order.Uint16(data[place:])
		}
		switch order.Uint16(entries) {
		case bits:
			l.bits = value
		case planes:
			l.planes = value
		case kind:
			l.kind = value
		}
		entries = entries[entry:]
	}
	return l
}
