package mutate

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
)

// A page of Ogg has packets. The last one of a page may go on in the next one.
const (
	oggPage = 1 + iota
	oggPart
)

const oggHeader = 27

// oggHeads are the fields of the first packets of streams, by what they begin with.
var oggHeads = map[string]layout{
	"OpusHead": "8 11 2 4 2 1 11 1*", "\x01vorbis": "7 4 1 4444 11", "\x7fFLAC": "5 11 2 4 4",
}

var ogg = container{
	is:    func(data []byte) bool { return bytes.HasPrefix(data, []byte("OggS")) },
	read:  func(data []byte) *element { return &element{parts: divide(data, readPage)} },
	write: writePage,

	little:  true,
	layouts: oggHeads,
	heads:   "118 4 4", // after the signature
	foreign: element{name: "packet"},
	edits:   []edit{renumberPages, renumberPages},
}

func readPage(data []byte, _ int) (*element, int) {
	if len(data) < oggHeader || !bytes.HasPrefix(data, []byte("OggS")) {
		return nil, 0
	}
	at := oggHeader + int(data[26])
	if at > len(data) {
		return nil, 0
	}
	e := &element{name: "page", kind: oggPage, head: data[4:22]}
	size := 0
	for i, lace := range data[oggHeader:at] {
		size += int(lace)
		if lace == 255 && i+1 < int(data[26]) {
			continue
		}
		if at+size > len(data) {
			return nil, 0
		}
		p := &element{name: packetName(data[at : at+size]), body: data[at : at+size]}
		if lace == 255 {
			p.kind = oggPart
		}
		e.parts, at, size = append(e.parts, p), at+size, 0
	}
	return e, at
}

func packetName(packet []byte) string {
	for name := range oggHeads {
		if bytes.HasPrefix(packet, []byte(name)) {
			return name
		}
	}
	return "packet"
}

func writePage(to []byte, e *element, content []byte) []byte {
	if e.kind == oggPart {
		return append(to, content...)
	}
	from, total := len(to), 0
	to = append(append(append(to, "OggS"...), e.head...), 0, 0, 0, 0, 0)
	laces := 0
	for _, p := range e.parts {
		size := p.size()
		for ; size >= 255 && laces < 255; laces++ {
			to, size, total = append(to, 255), size-255, total+255
		}
		if laces < 255 && (size > 0 || p.kind != oggPart) {
			to, laces, total = append(to, byte(size)), laces+1, total+size
		}
	}
	to[from+26] = byte(laces)
	to = append(to, content[:min(total, len(content))]...)
	binary.LittleEndian.PutUint32(to[from+22:], oggSum.of(to[from:]))
	return to
}

// size is the length of a packet.
func (e *element) size() int {
	n := len(e.head) + len(e.body)
	for _, p := range e.parts {
		n += p.size()
	}
	return n
}

// renumberPages gives the pages consecutive numbers, as decoders expect.
func renumberPages(_ *rand.Rand, t *tree) bool {
	next := uint32(0)
	for _, e := range t.root.parts {
		if e.kind == oggPage && len(e.head) == 18 {
			e.head = binary.LittleEndian.AppendUint32(bytes.Clone(e.head[:14]), next)
			next++
		}
	}
	return next > 0
}
