package mutate

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"io"
	"math/rand/v2"
)

// pngChunk is a length, a name, a body and a checksum.
const pngChunk = 1

const pngSignature = "\x89PNG\r\n\x1a\n"

var pngFiles = container{
	is:   func(data []byte) bool { return bytes.HasPrefix(data, []byte(pngSignature)) },
	read: readPNG,
	write: func(to []byte, e *element, content []byte) []byte {
		to = binary.BigEndian.AppendUint32(to, uint32(len(content)))
		from := len(to)
		to = append(append(to, e.name...), content...)
		return binary.BigEndian.AppendUint32(to, crc32.ChecksumIEEE(to[from:]))
	},
	layouts: map[string]layout{
		"IHDR": "44 11111", "acTL": "44", "fcTL": "44444 22 11", "fdAT": "4", "gAMA": "4", "cHRM": "4*", "pHYs": "441",
		"PLTE": "1*", "tRNS": "2*", "sBIT": "1*", "bKGD": "2*", "hIST": "2*", "sRGB": "1", "cICP": "1111",
	},
	foreign: element{name: "spOl", kind: pngChunk},
	edits:   []edit{recompress, recompress, renumberFrames},
}

func readPNG(data []byte) *element {
	return &element{body: data[:8], parts: divide(data[8:], func(data []byte, _ int) (*element, int) {
		if len(data) < 12 {
			return nil, 0
		}
		n := int(binary.BigEndian.Uint32(data))
		if n > len(data)-12 {
			return nil, 0
		}
		return &element{name: string(data[4:8]), kind: pngChunk, body: data[8 : 8+n]}, 12 + n
	})}
}

// recompress changes the filtered rows of the image, compresses them again and divides them anew. Large images are left
// alone: they are slow.
func recompress(r *rand.Rand, t *tree) bool {
	var stream []byte
	for _, e := range t.root.parts {
		if e.name == "IDAT" {
			stream = append(stream, e.body...)
		}
	}
	rows := inflated(stream, 1<<16)
	if len(rows) == 0 {
		return false
	}
	for range r.IntN(3) {
		if rows = mutations[r.IntN(len(mutations))](r, rows, [][]byte{rows}); len(rows) == 0 {
			break
		}
	}
	levels := [...]int{zlib.NoCompression, zlib.HuffmanOnly, zlib.BestSpeed}
	stream = deflated(rows, levels[r.IntN(len(levels))])
	chunk, first, kept := len(stream)>>r.IntN(4)+1, true, []*element(nil)
	for _, e := range t.root.parts {
		switch {
		case e.name != "IDAT":
			kept = append(kept, e)
		case first:
			first = false
			for at := 0; at < len(stream); at += chunk {
				kept = append(kept, &element{name: "IDAT", kind: pngChunk, body: stream[at:min(at+chunk, len(stream))]})
			}
		}
	}
	t.root.parts = kept
	return true
}

// inflated returns nil for a damaged stream, and for one of more than most bytes.
func inflated(stream []byte, most int64) []byte {
	z, err := zlib.NewReader(bytes.NewReader(stream))
	if err != nil {
		return nil
	}
	data, err := io.ReadAll(io.LimitReader(z, most+1))
	if err != nil || int64(len(data)) > most {
		return nil
	}
	return data
}

func deflated(data []byte, level int) []byte {
	var b bytes.Buffer
	z, err := zlib.NewWriterLevel(&b, level)
	if err != nil {
		return nil
	}
	if _, err := z.Write(data); err != nil {
		return nil
	}
	if err := z.Close(); err != nil {
		return nil
	}
	return b.Bytes()
}

// renumberFrames gives the chunks of an animation consecutive numbers. Decoders refuse others.
func renumberFrames(_ *rand.Rand, t *tree) bool {
	next := uint32(0)
	for _, e := range t.root.all() {
		if (e.name == "fcTL" || e.name == "fdAT") && len(e.body) >= 4 {
			e.body = append(binary.BigEndian.AppendUint32(nil, next), e.body[4:]...)
			next++
		}
	}
	return next > 0
}
