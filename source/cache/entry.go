package cache

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"slices"
	"time"
)

// An entry's file is a header and its bytes. The header has a checksum for each page of the bytes, so that a part of an
// entry can be read and verified without the rest.
const (
	magic    = "spool\x00c1"
	fixed    = 80       // bytes of a header before names
	page     = 64 << 10 // bytes of one checksum
	block    = 4 << 10  // unit of disk space
	likely   = 4 << 10  // most headers are not longer
	maxNames = 1 << 20  // bytes of the name and the note of a header
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func checksum(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

// onDisk returns the disk space of n bytes.
func onDisk(n int64) int64 { return (n + block - 1) / block * block }

// header is the beginning of an entry's file.
type header struct {
	kind   EntryKind
	digest digest
	name   string
	note   []byte // of the caller of Put
	cost   time.Duration
	made   time.Time
	size   int64    // of the bytes
	sums   []uint32 // checksums of their pages
	length int64    // of the header
}

// encode returns the header of data. Its fields are little endian, and begin at these bytes:
//
//	 0  magic
//	 8  checksum of the header after this field
//	12  length of the header
//	16  kind
//	18  length of the name
//	20  length of the note
//	24  cost in ns
//	32  Unix time in ns
//	40  size of data
//	48  digest
//	80  name, note and checksums
func (h *header) encode(data []byte) []byte {
	pages := (len(data) + page - 1) / page
	b := make([]byte, fixed, fixed+len(h.name)+len(h.note)+4*pages)
	copy(b, magic)
	b[16] = byte(slices.Index(kinds, h.kind))
	le := binary.LittleEndian
	le.PutUint16(b[18:], uint16(len(h.name)))
	le.PutUint32(b[20:], uint32(len(h.note)))
	le.PutUint64(b[24:], uint64(h.cost))
	le.PutUint64(b[32:], uint64(h.made.UnixNano()))
	le.PutUint64(b[40:], uint64(len(data)))
	copy(b[48:], h.digest[:])
	b = append(append(b, h.name...), h.note...)
	for p := range slices.Chunk(data, page) {
		b = le.AppendUint32(b, checksum(p))
	}
	le.PutUint32(b[12:], uint32(len(b)))
	le.PutUint32(b[8:], checksum(b[12:]))
	return b
}

// headerLength returns the length of the header that begins with b, or 0 if b begins none. file is the size of the
// whole file.
func headerLength(b []byte, file int64) int64 {
	if len(b) < fixed || string(b[:len(magic)]) != magic {
		return 0
	}
	le := binary.LittleEndian
	size := le.Uint64(b[40:])
	if size > math.MaxInt64/2 {
		return 0
	}
	n := int64(le.Uint32(b[12:]))
	names := int64(le.Uint16(b[18:])) + int64(le.Uint32(b[20:]))
	if names > maxNames || n != fixed+names+4*((int64(size)+page-1)/page) || n+int64(size) != file {
		return 0
	}
	return n
}

// parse parses a whole header, whose length headerLength returned.
func (h *header) parse(b []byte) bool {
	le := binary.LittleEndian
	if le.Uint32(b[8:]) != checksum(b[12:]) || int(b[16]) >= len(kinds) {
		return false
	}
	name, note := int(le.Uint16(b[18:])), int(le.Uint32(b[20:]))
	*h = header{
		kind: kinds[b[16]], digest: digest(b[48:fixed]),
		cost: time.Duration(le.Uint64(b[24:])), made: time.Unix(0, int64(le.Uint64(b[32:]))), size: int64(le.Uint64(b[40:])),
		name: string(b[fixed : fixed+name]), note: slices.Clone(b[fixed+name : fixed+name+note]), length: int64(len(b)),
	}
	sums := b[fixed+name+note:]
	h.sums = make([]uint32, len(sums)/4)
	for i := range h.sums {
		h.sums[i] = le.Uint32(sums[4*i:])
	}
	return true
}
