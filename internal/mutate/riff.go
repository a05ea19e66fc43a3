package mutate

import (
	"encoding/binary"
	"slices"
)

// A chunk of RIFF (WAV, WebP, AVI) has a length, or the number that says that it has another one elsewhere.
const (
	riffChunk = 1 + iota
	openChunk
)

var riff = container{
	is: func(data []byte) bool {
		return len(data) >= 12 && slices.Contains([]string{"RIFF", "RF64", "BW64"}, string(data[:4]))
	},
	read:  func(data []byte) *element { return &element{parts: readChunks(data, mostLevels)} },
	write: writeChunk,

	little: true,
	layouts: map[string]layout{
		"fmt ": "22 44 22 22 4 2222", "ds64": "8884", "fact": "4", "data": "4", "smpl": "4*", "cue ": "4*",
		"VP8X": "13 33", "ANIM": "42", "ANMF": "33 33 31", "VP8 ": "3 3 22 1*", "VP8L": "14 1*", "ALPH": "1 1*",
		"avih": "4*", "strh": "44 4 22 4*", "strf": "444 22 4*", "idx1": "4*", "indx": "2114 444 4*",
	},
	foreign: element{name: "sp0l", kind: riffChunk},
}

func readChunks(data []byte, levels int) []*element {
	return divide(data, func(data []byte, _ int) (*element, int) {
		if len(data) < 8 {
			return nil, 0
		}
		e := &element{name: string(data[:4]), kind: riffChunk}
		before, list := map[string]int{"RIFF": 4, "RF64": 4, "BW64": 4, "LIST": 4, "ANMF": 16}[e.name]
		n := int(binary.LittleEndian.Uint32(data[4:]))
		if n == 0xFFFFFFFF {
			e.kind = openChunk
		}
		n = min(n, len(data)-8) // the end may be missing
		e.body = data[8 : 8+n]
		if list && n >= before && levels > 0 {
			e.body, e.parts = e.body[:before], readChunks(e.body[before:], levels-1)
		}
		return e, min(8+n+n&1, len(data))
	})
}

func writeChunk(to []byte, e *element, content []byte) []byte {
	n := uint32(len(content))
	if e.kind == openChunk {
		n = 0xFFFFFFFF
	}
	to = append(binary.LittleEndian.AppendUint32(append(to, e.name...), n), content...)
	if len(content)%2 == 1 {
		to = append(to, 0)
	}
	return to
}
