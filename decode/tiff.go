package decode

import "encoding/binary"

// tiff reads the first directory of a TIFF or BigTIFF file, or of Exif data, which has its structure.
type tiff struct {
	data  []byte
	order binary.ByteOrder
	big   bool
	at    uint64 // of the first entry
	count uint64 // of entries that the directory claims
	cut   bool   // the data ends before the directory begins
}

// tiffEntry is an entry of a directory.
type tiffEntry struct {
	tag, kind uint16
	count     uint64
	field     []byte // the values where they fit, else their offset in the file
}

// Tags of TIFF 6.0.
const (
	tiffStripOffsets = 273
	tiffOrientation  = 274
	tiffStripBytes   = 279
	tiffTileOffsets  = 324
	tiffTileBytes    = 325
)

// parseTIFF reports false for what has no TIFF header, or a directory at an impossible place.
func parseTIFF(data []byte) (t tiff, ok bool) {
	if len(data) < 4 {
		return t, false
	}
	switch t = (tiff{data: data}); string(data[:2]) {
	case "II":
		t.order = binary.LittleEndian
	case "MM":
		t.order = binary.BigEndian
	default:
		return t, false
	}
	head, number := uint64(8), uint64(2) // bytes of the header and of the number of entries
	switch t.order.Uint16(data[2:]) {
	case 42:
	case 43:
		t.big, head, number = true, 16, 8
	default:
		return t, false
	}
	size := uint64(len(data))
	if size < head {
		t.cut = true
		return t, true
	}
	at := t.word(data[head/2:])
	switch {
	case at < head:
		return t, false
	case at > size || size-at < number:
		t.cut = true
		return t, true
	}
	t.at = at + number
	if t.big {
		t.count = t.order.Uint64(data[at:])
	} else {
		t.count = uint64(t.order.Uint16(data[at:]))
	}
	return t, true
}

// word reads an offset or a count, of 4 bytes or, in BigTIFF, 8.
func (t *tiff) word(b []byte) uint64 {
	if t.big {
		return t.order.Uint64(b)
	}
	return uint64(t.order.Uint32(b))
}

// sizes are the bytes of an entry, and of an offset or count.
func (t *tiff) sizes() (entry, word uint64) {
	if t.big {
		return 20, 8
	}
	return 12, 4
}

// entry reads entry i, and reports false when the data ends before it does.
func (t *tiff) entry(i uint64) (tiffEntry, bool) {
	size, word := t.sizes()
	rest := uint64(len(t.data)) - t.at
	if i >= rest/size {
		return tiffEntry{}, false
	}
	b := t.data[t.at+i*size:][:size]
	return tiffEntry{tag: t.order.Uint16(b), kind: t.order.Uint16(b[2:]), count: t.word(b[4:]), field: b[4+word:]}, true
}

// values are the bytes of an entry's values, and false when they lie beyond the end.
func (t *tiff) values(e tiffEntry) ([]byte, bool) {
	size, each := uint64(len(t.data)), tiffSize(e.kind)
	switch {
	case each == 0:
		return nil, true
	case e.count > size:
		return nil, false
	}
	n := e.count * each
	if n <= uint64(len(e.field)) {
		return e.field[:n], true
	}
	at := t.word(e.field)
	if at > size || n > size-at {
		return nil, false
	}
	return t.data[at:][:n], true
}

// tiffSize is the bytes of a value of each kind; 0 of one that we do not know.
func tiffSize(kind uint16) uint64 {
	sizes := [...]uint64{1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4, 16: 8, 17: 8, 18: 8}
	if int(kind) < len(sizes) {
		return sizes[kind]
	}
	return 0
}

// tiffCut looks for the first page's directory, the values of its entries, and its strips or tiles.
func tiffCut(data []byte) bool {
	t, ok := parseTIFF(data)
	if !ok {
		return len(data) < 4
	}
	if t.cut {
		return true
	}
	var offsets, lengths tiffEntry // of the strips or tiles
	for i := range t.count {
		e, ok := t.entry(i)
		if !ok {
			return true
		}
		if _, ok := t.values(e); !ok {
			return true
		}
		switch e.tag {
		case tiffStripOffsets, tiffTileOffsets:
			offsets = e
		case tiffStripBytes, tiffTileBytes:
			lengths = e
		}
	}
	entry, word := t.sizes()
	return t.at+t.count*entry+word > uint64(len(data)) || t.pixelsCut(offsets, lengths) // the first: where the next directory is
}

// pixelsCut looks for a strip or tile that lies beyond the end. Some old files do not say how long theirs are.
func (t *tiff) pixelsCut(offsets, lengths tiffEntry) bool {
	at, _ := t.values(offsets)
	long, _ := t.values(lengths)
	size := uint64(len(t.data))
	for {
		offset, ok := t.next(&at, offsets.kind)
		if !ok {
			return false
		}
		n, ok := t.next(&long, lengths.kind)
		if !ok {
			n = 1
		}
		if n > 0 && (offset > size || n > size-offset) {
			return true
		}
	}
}

// next takes a number from the front of an entry's values, of the kinds that offsets and lengths have.
func (t *tiff) next(values *[]byte, kind uint16) (n uint64, ok bool) {
	b, size := *values, tiffSize(kind)
	if size == 0 || uint64(len(b)) < size {
		return 0, false
	}
	*values = b[size:]
	switch size {
	case 1:
		return uint64(b[0]), true
	case 2:
		return uint64(t.order.Uint16(b)), true
	case 4:
		return uint64(t.order.Uint32(b)), true
	}
	return t.order.Uint64(b), true
}
