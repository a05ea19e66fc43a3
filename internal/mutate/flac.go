package mutate

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"unicode/utf8"
)

// A block of metadata says whether it is the last one. A frame ends with a checksum, and its header does.
const (
	flacBlock = 1 + iota
	lastFLACBlock
	flacFrame
)

var flac = container{
	is:    func(data []byte) bool { return bytes.HasPrefix(data, []byte("fLaC")) },
	read:  readFLAC,
	write: writeFLAC,
	close: markLastBlock,
	layouts: map[string]layout{
		"\x00": "22 33 1111 4 8 8", "\x02": "4", "\x03": "8 8 2 8 8 2", "\x05": "8", "\x06": "44",
		"frame": "1 1 1 1 1 1 1 1",
	},
	heads:   "1*",
	foreign: element{name: "\x66", kind: flacBlock},
	edits:   []edit{renumberFLAC, renumberFLAC},
}

func readFLAC(data []byte) *element {
	last := false
	root := &element{body: data[:4], parts: divide(data[4:], func(data []byte, _ int) (*element, int) {
		if last || len(data) < 4 {
			return nil, 0
		}
		n := 4 + int(binary.BigEndian.Uint32(data)&0xFFFFFF)
		if n > len(data) {
			return nil, 0
		}
		e := &element{name: string(data[0] & 0x7F), kind: flacBlock, body: data[4:n]}
		if last = data[0]>>7 == 1; last {
			e.kind = lastFLACBlock
		}
		return e, n
	})}
	if n := len(root.parts); n > 0 && root.parts[n-1].kind == verbatim {
		root.parts = append(root.parts[:n-1], readFrames(root.parts[n-1].body)...)
	}
	return root
}

// readFrames divides data at what looks like a frame's header with the right checksum.
func readFrames(data []byte) (list []*element) {
	from, header := 0, 0
	end := func(to int) {
		switch {
		case header > 0 && to-from > header+3:
			list = append(list, &element{name: "frame", kind: flacFrame, head: data[from : from+header],
				body: data[from+header+1 : to-2]})
		case to > from:
			list = append(list, &element{name: "rest", body: data[from:to]})
		}
	}
	for i := 0; i < len(data) && len(list) < mostElements; i++ {
		if n := flacHeader(data[i:]); n > 0 {
			end(i)
			from, header = i, n
			i += n
		}
	}
	end(len(data))
	return list
}

// flacHeader returns where the checksum of a frame's header is; 0 if data do not begin with one.
func flacHeader(data []byte) int {
	if len(data) < 17 || data[0] != 0xFF || data[1]&0xFE != 0xF8 {
		return 0
	}
	for n := 5; n < 16; n++ {
		if flacHeaderSum.of(data[:n]) == uint32(data[n]) {
			return n
		}
	}
	return 0
}

func writeFLAC(to []byte, e *element, content []byte) []byte {
	if e.kind == flacFrame {
		from := len(to)
		to = append(to, e.head...)
		to = append(append(to, byte(flacHeaderSum.of(e.head))), content...)
		return binary.BigEndian.AppendUint16(to, uint16(flacFrameSum.of(to[from:])))
	}
	first := e.name[0]
	if e.kind == lastFLACBlock {
		first |= 0x80
	}
	n := len(content)
	return append(append(to, first, byte(n>>16), byte(n>>8), byte(n)), content...)
}

// markLastBlock marks the last block in front of the frames, and no other one.
func markLastBlock(_ *container, root *element) {
	var last *element
	marked := false
	for _, e := range root.parts {
		if e.kind == flacFrame && last != nil {
			marked = true
			break
		}
		if e.kind == flacBlock || e.kind == lastFLACBlock {
			marked = marked || e.kind == lastFLACBlock
			last, e.kind = e, flacBlock
		}
	}
	if marked {
		last.kind = lastFLACBlock
	}
}

// renumberFLAC gives frames of a fixed size consecutive numbers, as decoders expect.
func renumberFLAC(_ *rand.Rand, t *tree) bool {
	next := rune(0)
	for _, e := range t.root.all() {
		if e.kind != flacFrame || len(e.head) < 5 || e.head[1]&1 == 1 {
			continue
		}
		coded := max(1, bits.LeadingZeros8(^e.head[4])) // bytes
		if 4+coded > len(e.head) || next >= 0xD800 {
			return false
		}
		e.head = append(utf8.AppendRune(bytes.Clone(e.head[:4]), next), e.head[4+coded:]...)
		next++
	}
	return next > 0
}
