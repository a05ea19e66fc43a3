package mutate

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"
)

// Boxes are those of ISOBMFF (MP4, MOV, AVIF, HEIF) and of JP2. Their length has 32 or 64 bits, or is that of the rest
// of the file. A codestream in them has kinds of its own.
const (
	box = 10 + iota
	wideBox
	lastBox
)

var boxes = container{
	is: func(data []byte) bool {
		return len(data) >= 8 && slices.Contains([]string{"ftyp", "styp", "moov", "moof", "mdat", "wide", "free", "skip",
			"jP  "}, string(data[4:8]))
	},
	read: func(data []byte) *element {
		return &element{parts: readBoxes(data, mostLevels)}
	},
	write: writeBox,
	close: moveOffsets,
	layouts: map[string]layout{
		"mvhd": "4 44444 42 2", "tkhd": "4 44444 44 2222 4*", "mdhd": "4 4444 22", "hdlr": "444", "elst": "44 4*",
		"stts": "44 4*", "ctts": "44 4*", "stsc": "44 4*", "stsz": "444 4*", "stz2": "444 1*", "stco": "44 4*",
		"co64": "44 8*", "stss": "44 4*", "sdtp": "4 1*", "stsd": "44", "trun": "13 44 4*", "tfhd": "13 4*", "tfdt": "44",
		"mfhd": "44", "trex": "4*", "sidx": "13 4444 22 4*", "mehd": "44", "dref": "44", "smhd": "422", "vmhd": "4 2222",
		"esds": "4 1*", "avcC": "1*", "hvcC": "1*", "av1C": "1*", "vpcC": "4 1*", "dOps": "11 24 21", "dfLa": "4 1*",
		"pasp": "44", "colr": "4 2221", "btrt": "444", "clap": "4*",
		"ispe": "444", "pixi": "4 1*", "irot": "1", "imir": "1", "pitm": "42", "ipma": "44 2 1*", "iinf": "42",
		"infe": "4 224", "iloc": "4 11 2 2 2 2 4*", "auxC": "4", "auxl": "22*", "dimg": "22*", "cdsc": "22*",
		"idat": "11 11 22 2*",
		"ihdr": "44 2 1111", "bpcc": "1*", "pclr": "21 1*", "cmap": "211*", "cdef": "2 2*", "resc": "2222 11",
		"resd": "2222 11",
		"avc1": "6 2 8 8 2 2 4 4", "hvc1": "6 2 8 8 2 2 4 4", "av01": "6 2 8 8 2 2 4 4", "mp4v": "6 2 8 8 2 2 4 4",
		"mp4a": "6 2 22 4 22 22 4", "Opus": "6 2 22 4 22 22 4", "fLaC": "6 2 22 4 22 22 4",
		"\x51": "2 4444 4444 2 1*", "\x52": "11 21 111111*", "\x53": "11 111111*", "\x5C": "1 2*", "\x5D": "11 2*",
		"\x5F": "112111*", "\x90": "2 4 11", "\x55": "11 4*", "\x58": "1 1*", "\x5E": "111",
	},
	foreign: element{name: "sp0l", kind: box},
	edits:   []edit{resizeBox},
}

// inside is the number of bytes in front of the boxes in a box.
func inside(name string) (before int, ok bool) {
	switch name {
	case "moov", "trak", "mdia", "minf", "stbl", "dinf", "edts", "udta", "moof", "traf", "mvex", "iprp", "ipco", "jp2h",
		"res ", "sinf", "schi", "grpl", "wave", "tref":
		return 0, true
	case "meta", "iref":
		return 4, true
	case "iinf":
		return 6, true
	case "stsd", "dref":
		return 8, true
	case "mp4a", "Opus", "fLaC", "alac", "sowt", "twos":
		return 28, true
	case "avc1", "avc3", "hvc1", "hev1", "av01", "vp09", "mp4v", "mjpa", "jpeg":
		return 78, true
	}
	return 0, false
}

func readBoxes(data []byte, levels int) []*element {
	return divide(data, func(data []byte, at int) (*element, int) {
		if len(data) < 8 {
			return nil, 0
		}
		e, header, n := &element{name: string(data[4:8]), kind: box, at: at}, 8, int(binary.BigEndian.Uint32(data))
		switch {
		case n == 0:
			e.kind, n = lastBox, len(data)
		case n == 1 && len(data) >= 16:
			e.kind, header, n = wideBox, 16, int(binary.BigEndian.Uint64(data[8:]))
		}
		if n < header || n > len(data) {
			return nil, 0
		}
		e.body = data[header:n]
		if before, ok := inside(e.name); ok && before <= len(e.body) && levels > 0 {
			e.parts, e.body = readBoxes(e.body[before:], levels-1), e.body[:before]
		} else if e.name == "jp2c" {
			e.parts, e.body = readCodestream(e.body), nil
		}
		return e, n
	})
}

func writeBox(to []byte, e *element, content []byte) []byte {
	n := len(content)
	switch e.kind {
	case box:
		to = append(binary.BigEndian.AppendUint32(to, uint32(n+8)), e.name...)
	case wideBox:
		to = append(append(to, 0, 0, 0, 1), e.name...)
		to = binary.BigEndian.AppendUint64(to, uint64(n+16))
	case lastBox:
		to = append(append(to, 0, 0, 0, 0), e.name...)
	default:
		return writeCodestream(to, e, content)
	}
	return append(to, content...)
}

// resizeBox writes a length in another way.
func resizeBox(r *rand.Rand, t *tree) bool {
	e := pick(r, t.root)
	if e == nil || e.kind < box {
		return false
	}
	before := e.kind
	e.kind = box + r.IntN(3)
	return e.kind != before
}

// moveOffsets corrects the offsets of samples and items after the first box of media data has moved.
func moveOffsets(c *container, root *element) {
	at := 0
	for _, e := range root.parts {
		if e.name != "mdat" || e.at == 0 {
			at += len(c.append(nil, e))
			continue
		}
		if by := at - e.at; by != 0 {
			for _, table := range root.all() {
				table.body = moved(table.name, table.body, by)
			}
			e.at = at
		}
		return
	}
}

// moved returns the content of a box whose offsets have moved.
func moved(name string, body []byte, by int) []byte {
	width := map[string]int{"stco": 4, "co64": 8}[name]
	switch {
	case name == "iloc":
		return movedItems(bytes.Clone(body), by)
	case width == 0 || len(body) < 8:
		return body
	}
	body = bytes.Clone(body)
	for at := 8; at+width <= len(body); at += width {
		add(body[at:at+width], by)
	}
	return body
}

// add adds to a number of up to eight bytes.
func add(number []byte, by int) {
	var wide [8]byte
	place := wide[8-len(number):]
	copy(place, number)
	binary.BigEndian.PutUint64(wide[:], binary.BigEndian.Uint64(wide[:])+uint64(by))
	copy(number, place)
}

// movedItems moves the items of an iloc box that are in the file (ISO 14496-12, 8.11.3).
func movedItems(body []byte, by int) []byte {
	if len(body) < 8 {
		return body
	}
	version, offset, length, base, index := body[0], int(body[4]>>4), int(body[4]&15), int(body[5]>>4), 0
	id, at := 2, 8
	if version > 0 {
		index = int(body[5] & 15)
	}
	if version == 2 {
		id, at = 4, 10
	}
	if max(offset, length, base, index) > 8 {
		return body
	}
	for {
		elsewhere := false
		at += id
		if version > 0 {
			elsewhere = at+2 <= len(body) && body[at+1]&15 != 0
			at += 2
		}
		at += 2 // where data are referenced
		if at+base+2 > len(body) {
			return body
		}
		if base > 0 && !elsewhere {
			add(body[at:at+base], by)
		}
		extents := int(binary.BigEndian.Uint16(body[at+base:]))
		at += base + 2
		for range extents {
			if at += index; at+offset+length > len(body) {
				return body
			}
			if base == 0 && !elsewhere && offset > 0 {
				add(body[at:at+offset], by)
			}
			at += offset + length
		}
	}
}
