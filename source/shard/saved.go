package shard

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"

	"github.com/spoolmedia/spool"
)

// Saved is an index as it is stored in a file, with what tells whether it still fits its archive.
type Saved struct {
	Size        int64  // of the archive, as stored
	Version     string // of the archive: its modification time, or the ETag of a remote one
	Compression Compression
	Index       *Index // with positions in the decompressed archive
}

// The file format, version 1. All numbers except the version and the last are varints (encoding/binary), signed ones in
// zigzag. Texts are preceded by their length.
//
//	"spooltar"                                             8 bytes
//	version                                                uint32, little endian
//	size, version and compression (0 none, 1 gzip, 2 zstd) of the archive
//	number of members
//	of each: bytes that its name shares with the previous name; the rest of the name; bytes of its key;
//	    offset, as the difference to the end of the previous member; size
//	number of samples
//	of each: members of the previous sample, label
//	number of bad samples
//	of each: number of the sample, class and text of the error
//	class and text of the archive's damage, both empty without
//	CRC-32C of all before                                  uint32, little endian
const (
	savedMagic   = "spooltar"
	savedVersion = 1
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// MarshalBinary returns the file's bytes, which ParseSaved reads. The error is always nil.
func (s *Saved) MarshalBinary() ([]byte, error) {
	x := s.Index
	w := writer(make([]byte, 0, 128+len(x.names)/2+12*len(x.members)))
	w = append(w, savedMagic...)
	w = binary.LittleEndian.AppendUint32(w, savedVersion)
	w.number(s.Size)
	w.text(s.Version)
	w.count(uint64(s.Compression))
	w.count(uint64(len(x.members)))
	before, end := "", int64(0)
	for i := range x.members {
		m, name := &x.members[i], string(x.name(i))
		shared := 0
		for shared < min(len(before), len(name)) && before[shared] == name[shared] {
			shared++
		}
		w.count(uint64(shared))
		w.text(name[shared:])
		w.count(uint64(m.key))
		w.number(m.offset - end)
		w.number(m.size)
		before, end = name, m.offset+m.size
	}
	w.count(uint64(len(x.samples)))
	member := 0
	for _, f := range x.samples {
		w.count(uint64(f.member - member))
		w.number(f.label)
		member = f.member
	}
	w.count(uint64(len(x.bad)))
	for i := range x.samples { // in order, so that the same index gives the same bytes
		if err := x.bad[i]; err != nil {
			w.count(uint64(i))
			w.problem(err)
		}
	}
	w.problem(x.damage)
	return binary.LittleEndian.AppendUint32(w, crc32.Checksum(w, castagnoli)), nil
}

// ParseSaved parses what MarshalBinary wrote. It returns ErrNotMedia for bytes that are not an index, ErrUnsupported
// for another version, and ErrCorrupt for damage. It takes at most some 64 times as much memory as there are bytes,
// usually 5 times.
func ParseSaved(data []byte) (*Saved, error) {
	const head = len(savedMagic) + 4
	if len(data) < head+4 || string(data[:len(savedMagic)]) != savedMagic {
		return nil, failed("read", spool.ErrNotMedia, "not an index of a shard")
	}
	if v := binary.LittleEndian.Uint32(data[len(savedMagic):]); v != savedVersion {
		return nil, failed("read", spool.ErrUnsupported, "version %d of an index", v)
	}
	body := data[:len(data)-4]
	if crc32.Checksum(body, castagnoli) != binary.LittleEndian.Uint32(data[len(body):]) {
		return nil, failed("read", spool.ErrCorrupt, "the checksum of the index does not match")
	}
	const most = 64 // times its bytes: names share prefixes
	r := &reader{data: body[head:], room: most * uint64(len(data))}
	s := &Saved{Size: r.number(), Version: r.text(), Compression: Compression(r.count()),
		Index: &Index{bad: map[int]error{}}}
	r.index(s.Index)
	if r.bad || len(r.data) > 0 || s.Size < 0 || s.Compression > Zstd {
		return nil, failed("read", spool.ErrCorrupt, "an invalid index")
	}
	return s, nil
}

func (r *reader) index(x *Index) {
	const least = 5 // bytes a member
	n := r.many(least)
	x.members = make([]memberPosition, 0, n)
	before, end := []byte(nil), int64(0)
	for range n {
		shared := r.count()
		rest := r.text()
		m := memberPosition{key: uint32(r.count())}
		m.offset, m.size = end+r.number(), r.number()
		size := shared + uint64(len(rest))
		if r.bad = r.bad || shared > uint64(len(before)) || uint64(m.key) >= size || m.offset < 0 || m.size < 0 ||
			m.offset > math.MaxInt64-m.size || uint64(len(x.names))+size > min(math.MaxUint32, r.room); r.bad {
			return
		}
		start := len(x.names)
		x.names = append(append(x.names, before[:shared]...), rest...)
		m.end = uint32(len(x.names))
		x.members = append(x.members, m)
		before, end = x.names[start:], m.offset+m.size
	}
	n = r.many(2)
	x.samples = make([]sampleStart, 0, n)
	member := uint64(0)
	for i := range n {
		member += r.count()
		label := r.number()
		if r.bad = r.bad || label < -1 || member >= uint64(len(x.members)) || i == 0 && member != 0 ||
			i > 0 && member <= uint64(x.samples[i-1].member); r.bad {
			return
		}
		x.samples = append(x.samples, sampleStart{int(member), label})
	}
	if r.bad = r.bad || len(x.samples) == 0 && len(x.members) > 0; r.bad {
		return
	}
	for range r.many(3) {
		i := r.count()
		err := r.problem("open")
		if r.bad = r.bad || i >= uint64(len(x.samples)) || err == nil; r.bad {
			return
		}
		x.bad[int(i)] = err
	}
	x.damage = r.problem("read")
}

type writer []byte

func (w *writer) count(n uint64) { *w = binary.AppendUvarint(*w, n) }

func (w *writer) number(n int64) { *w = binary.AppendVarint(*w, n) }

func (w *writer) text(s string) {
	w.count(uint64(len(s)))
	*w = append(*w, s...)
}

func (w *writer) problem(err error) {
	var e spool.Error
	if known, ok := errors.AsType[*spool.Error](err); ok {
		e = *known
	}
	w.text(string(e.Class))
	w.text(e.Text)
}

// reader decodes values from data. The first missing value sets bad, and all later values are 0.
type reader struct {
	data []byte
	room uint64 // for names
	bad  bool
}

func (r *reader) count() uint64 {
	n, used := binary.Uvarint(r.data)
	if r.bad = r.bad || used <= 0; r.bad {
		return 0
	}
	r.data = r.data[used:]
	return n
}

func (r *reader) number() int64 {
	n := r.count()
	return int64(n>>1) ^ -int64(n&1)
}

// many reads a number of elements, each of which takes at least that many bytes.
func (r *reader) many(least int) int {
	n := r.count()
	if r.bad = r.bad || n > uint64(len(r.data)/least); r.bad {
		return 0
	}
	return int(n)
}

func (r *reader) text() string {
	n := r.count()
	if r.bad = r.bad || n > uint64(len(r.data)); r.bad {
		return ""
	}
	text := string(r.data[:n])
	r.data = r.data[n:]
	return text
}

func (r *reader) problem(op string) error {
	class, text := r.text(), r.text()
	if class == "" {
		return nil
	}
	return failed(op, spool.Class(class), "%s", text)
}
