package tiff

import "encoding/binary"

// Directory reads a directory of a TIFF or BigTIFF file, or of EXIF data, which has the same structure.
type Directory struct {
	data  []byte
	Order binary.ByteOrder
	Big   bool
	at    uint64 // offset of the first entry
	Count uint64 // declared number of entries
	Cut   bool   // the data end before the directory begins
}

// Entry is an entry of a directory.
type Entry struct {
	Tag, Kind uint16
	count     uint64
	Field     []byte // the values where they fit, else their offset in the file
}

// Tags of TIFF 6.0, and of its supplement 1.
const (
	tagSubfileType  = 254
	tagWidth        = 256
	tagLength       = 257
	TagBits         = 258
	tagCompression  = 259
	TagPhotometric  = 262
	tagStripOffsets = 273
	TagOrientation  = 274
	tagSamples      = 277
	tagStripBytes   = 279
	tagPlanes       = 284
	TagTileOffsets  = 324
	TagTileBytes    = 325
	TagColorMap     = 320
	tagSubIFDs      = 330
	tagExtraSamples = 338
	tagSampleFormat = 339
)

// Values of tiffCompression and tiffPhotometric.
const (
	oldJPEG         = 6
	jpegCompression = 7
	yCbCr           = 6
)

// Parse reads the header and finds the first directory. It reports false without a TIFF header, or where the
// directory's offset is impossible.
func Parse(data []byte) (t Directory, ok bool) {
	if len(data) < 4 {
		return t, false
	}
	switch t = (Directory{data: data}); string(data[:2]) {
	case "II":
		t.Order = binary.LittleEndian
	case "MM":
		t.Order = binary.BigEndian
	default:
		return t, false
	}
	head := uint64(8)
	switch t.Order.Uint16(data[2:]) {
	case 42:
	case 43:
		t.Big, head = true, 16
	default:
		return t, false
	}
	if uint64(len(data)) < head {
		t.Cut = true
		return t, true
	}
	return t.directory(t.word(data[head/2:]))
}

// directory is the directory at an offset of the same file. It is false where the offset is impossible.
func (t Directory) directory(at uint64) (Directory, bool) {
	head, number := uint64(8), uint64(2) // bytes of the file's header and of the number of entries
	if t.Big {
		head, number = 16, 8
	}
	size := uint64(len(t.data))
	if at < head {
		return t, false
	}
	if t.Cut = at > size || size-at < number; t.Cut {
		return t, true
	}
	t.at = at + number
	if t.Big {
		t.Count = t.Order.Uint64(t.data[at:])
	} else {
		t.Count = uint64(t.Order.Uint16(t.data[at:]))
	}
	return t, true
}

// nextPage is the directory of the next page. It is false after the last page.
func (t Directory) nextPage() (Directory, bool) {
	entry, word := t.sizes()
	size := uint64(len(t.data))
	if t.Cut || t.Count > (size-t.at)/entry || size-t.at-t.Count*entry < word {
		t.Cut = true
		return t, true
	}
	return t.directory(t.word(t.data[t.at+t.Count*entry:]))
}

// Page is the directory of a page. It is false where the page does not exist.
func Page(data []byte, page int) (t Directory, ok bool) {
	t, ok = Parse(data)
	for ; ok && page > 0; page-- {
		if t, ok = t.nextPage(); t.Cut {
			break
		}
	}
	return t, ok
}

// word reads an offset or a count, of 4 bytes, or 8 in BigTIFF.
func (t *Directory) word(b []byte) uint64 {
	if t.Big {
		return t.Order.Uint64(b)
	}
	return uint64(t.Order.Uint32(b))
}

// sizes are the bytes of an entry, and of an offset or count.
func (t *Directory) sizes() (entry, word uint64) {
	if t.Big {
		return 20, 8
	}
	return 12, 4
}

// Entry reads entry i. It reports false when the data end within the entry.
func (t *Directory) Entry(i uint64) (Entry, bool) {
	size, word := t.sizes()
	rest := uint64(len(t.data)) - t.at
	if i >= rest/size {
		return Entry{}, false
	}
	b := t.data[t.at+i*size:][:size]
	return Entry{Tag: t.Order.Uint16(b), Kind: t.Order.Uint16(b[2:]), count: t.word(b[4:]), Field: b[4+word:]}, true
}

// values are the bytes of an entry's values. It reports false when they are beyond the end.
func (t *Directory) values(e Entry) ([]byte, bool) {
	size, each := uint64(len(t.data)), sizeOf(e.Kind)
	switch {
	case each == 0:
		return nil, true
	case e.count > size:
		return nil, false
	}
	n := e.count * each
	if n <= uint64(len(e.Field)) {
		return e.Field[:n], true
	}
	at := t.word(e.Field)
	if at > size || n > size-at {
		return nil, false
	}
	return t.data[at:][:n], true
}

// sizeOf is the size in bytes of a value of a type; 0 for unknown types.
func sizeOf(kind uint16) uint64 {
	sizes := [...]uint64{1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4, 16: 8, 17: 8,
		18: 8}
	if int(kind) < len(sizes) {
		return sizes[kind]
	}
	return 0
}

// Find is the first entry with a tag, and its values.
func (t *Directory) Find(tag uint16) (e Entry, values []byte) {
	for i := range t.Count {
		e, ok := t.Entry(i)
		if !ok {
			break
		}
		if e.Tag == tag {
			values, _ := t.values(e)
			return e, values
		}
	}
	return Entry{}, nil
}

// has reports whether an entry has a tag.
func (t *Directory) has(tag uint16) bool {
	e, _ := t.Find(tag)
	return e.Tag == tag
}

// Number is the first value of the entry with a tag.
func (t *Directory) Number(tag uint16, absent uint64) uint64 {
	e, values := t.Find(tag)
	if n, ok := t.next(&values, e.Kind); ok {
		return n
	}
	return absent
}

// Truncated reports whether a page is cut: its directory, the values of its entries, and its strips or tiles.
func Truncated(data []byte, page int) bool {
	t, ok := Page(data, page)
	if !ok {
		return len(data) < 4
	}
	if t.Cut {
		return true
	}
	var offsets, lengths Entry // of the strips or tiles
	for i := range t.Count {
		e, ok := t.Entry(i)
		if !ok {
			return true
		}
		if _, ok := t.values(e); !ok {
			return true
		}
		switch e.Tag {
		case tagStripOffsets, TagTileOffsets:
			offsets = e
		case tagStripBytes, TagTileBytes:
			lengths = e
		}
	}
	entry, word := t.sizes()
	// the first condition: the offset of the next directory
	return t.at+t.Count*entry+word > uint64(len(data)) || t.pixelsCut(offsets, lengths)
}

// pixelsCut reports whether a strip or tile extends beyond the end. Some old files do not declare the lengths.
func (t *Directory) pixelsCut(offsets, lengths Entry) bool {
	at, _ := t.values(offsets)
	long, _ := t.values(lengths)
	size := uint64(len(t.data))
	for {
		offset, ok := t.next(&at, offsets.Kind)
		if !ok {
			return false
		}
		n, ok := t.next(&long, lengths.Kind)
		if !ok {
			n = 1
		}
		if n > 0 && (offset > size || n > size-offset) {
			return true
		}
	}
}

// next takes a number from the front of an entry's values, of the types that offsets and lengths have.
func (t *Directory) next(values *[]byte, kind uint16) (n uint64, ok bool) {
	b, size := *values, sizeOf(kind)
	if size == 0 || uint64(len(b)) < size {
		return 0, false
	}
	*values = b[size:]
	switch size {
	case 1:
		return uint64(b[0]), true
	case 2:
		return uint64(t.Order.Uint16(b)), true
	case 4:
		return uint64(t.Order.Uint32(b)), true
	}
	return t.Order.Uint64(b), true
}
