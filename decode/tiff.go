package decode

import "encoding/binary"

// tiff reads a directory of a TIFF or BigTIFF file, or of EXIF data, which has the same structure.
type tiff struct {
	data  []byte
	order binary.ByteOrder
	big   bool
	at    uint64 // offset of the first entry
	count uint64 // declared number of entries
	cut   bool   // the data end before the directory begins
}

// tiffEntry is an entry of a directory.
type tiffEntry struct {
	tag, kind uint16
	count     uint64
	field     []byte // the values where they fit, else their offset in the file
}

// Tags of TIFF 6.0, and of its supplement 1.
const (
	tiffSubfileType  = 254
	tiffWidth        = 256
	tiffLength       = 257
	tiffBits         = 258
	tiffCompression  = 259
	tiffPhotometric  = 262
	tiffStripOffsets = 273
	tiffOrientation  = 274
	tiffSamples      = 277
	tiffStripBytes   = 279
	tiffPlanes       = 284
	tiffTileOffsets  = 324
	tiffTileBytes    = 325
	tiffColorMap     = 320
	tiffSubIFDs      = 330
	tiffExtraSamples = 338
	tiffSampleFormat = 339
)

// Values of tiffCompression and tiffPhotometric.
const (
	tiffOldJPEG = 6
	tiffJPEG    = 7
	tiffYCbCr   = 6
)

// parseTIFF reads the header and finds the first directory. It reports false without a TIFF header, or where the
// directory's offset is impossible.
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
	head := uint64(8)
	switch t.order.Uint16(data[2:]) {
	case 42:
	case 43:
		t.big, head = true, 16
	default:
		return t, false
	}
	if uint64(len(data)) < head {
		t.cut = true
		return t, true
	}
	return t.directory(t.word(data[head/2:]))
}

// directory is the directory at an offset of the same file. It is false where the offset is impossible.
func (t tiff) directory(at uint64) (tiff, bool) {
	head, number := uint64(8), uint64(2) // bytes of the file's header and of the number of entries
	if t.big {
		head, number = 16, 8
	}
	size := uint64(len(t.data))
	if at < head {
		return t, false
	}
	if t.cut = at > size || size-at < number; t.cut {
		return t, true
	}
	t.at = at + number
	if t.big {
		t.count = t.order.Uint64(t.data[at:])
	} else {
		t.count = uint64(t.order.Uint16(t.data[at:]))
	}
	return t, true
}

// nextPage is the directory of the next page. It is false after the last page.
func (t tiff) nextPage() (tiff, bool) {
	entry, word := t.sizes()
	size := uint64(len(t.data))
	if t.cut || t.count > (size-t.at)/entry || size-t.at-t.count*entry < word {
		t.cut = true
		return t, true
	}
	return t.directory(t.word(t.data[t.at+t.count*entry:]))
}

// tiffPage is the directory of a page. It is false where the page does not exist.
func tiffPage(data []byte, page int) (t tiff, ok bool) {
	t, ok = parseTIFF(data)
	for ; ok && page > 0; page-- {
		if t, ok = t.nextPage(); t.cut {
			break
		}
	}
	return t, ok
}

// word reads an offset or a count, of 4 bytes, or 8 in BigTIFF.
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

// entry reads entry i. It reports false when the data end within the entry.
func (t *tiff) entry(i uint64) (tiffEntry, bool) {
	size, word := t.sizes()
	rest := uint64(len(t.data)) - t.at
	if i >= rest/size {
		return tiffEntry{}, false
	}
	b := t.data[t.at+i*size:][:size]
	return tiffEntry{tag: t.order.Uint16(b), kind: t.order.Uint16(b[2:]), count: t.word(b[4:]), field: b[4+word:]}, true
}

// values are the bytes of an entry's values. It reports false when they are beyond the end.
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

// tiffSize is the size in bytes of a value of a type; 0 for unknown types.
func tiffSize(kind uint16) uint64 {
	sizes := [...]uint64{1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4, 16: 8, 17: 8, 18: 8}
	if int(kind) < len(sizes) {
		return sizes[kind]
	}
	return 0
}

// find is the first entry with a tag, and its values.
func (t *tiff) find(tag uint16) (e tiffEntry, values []byte) {
	for i := range t.count {
		e, ok := t.entry(i)
		if !ok {
			break
		}
		if e.tag == tag {
			values, _ := t.values(e)
			return e, values
		}
	}
	return tiffEntry{}, nil
}

// has reports whether an entry has a tag.
func (t *tiff) has(tag uint16) bool {
	e, _ := t.find(tag)
	return e.tag == tag
}

// number is the first value of the entry with a tag.
func (t *tiff) number(tag uint16, absent uint64) uint64 {
	e, values := t.find(tag)
	if n, ok := t.next(&values, e.kind); ok {
		return n
	}
	return absent
}

// tiffCut reports whether a page is cut: its directory, the values of its entries, and its strips or tiles.
func tiffCut(data []byte, page int) bool {
	t, ok := tiffPage(data, page)
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
	return t.at+t.count*entry+word > uint64(len(data)) || t.pixelsCut(offsets, lengths) // the first condition: the offset of the next directory
}

// pixelsCut reports whether a strip or tile extends beyond the end. Some old files do not declare the lengths.
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

// next takes a number from the front of an entry's values, of the types that offsets and lengths have.
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
