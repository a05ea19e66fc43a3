package parity

import "encoding/binary"

// deepPlanes reports whether the first page of a TIFF file has 16 bits a sample in separate planes.
func deepPlanes(data []byte) bool {
	const header, entry, bits, planes = 8, 12, 258, 284
	if len(data) < header {
		return false
	}
	var order binary.ByteOrder = binary.LittleEndian
	if data[0] == 'M' {
		order = binary.BigEndian
	}
	at := int64(order.Uint32(data[4:]))
	if at+2 > int64(len(data)) {
		return false
	}
	deep, separate := false, false
	entries := data[at+2:]
	for n := order.Uint16(data[at:]); n > 0 && len(entries) >= entry; n-- {
		value := order.Uint16(entries[8:])
		switch order.Uint16(entries) {
		case bits: // of several samples: their place
			place := int64(order.Uint32(entries[8:]))
			if order.Uint32(entries[4:]) > 2 && place+2 <= int64(len(data)) {
				value = order.Uint16(data[place:])
			}
			deep = value == 16
		case planes:
			separate = value == 2
		}
		entries = entries[entry:]
	}
	return deep && separate
}
