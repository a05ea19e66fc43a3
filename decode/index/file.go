package index

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"

	"github.com/spoolmedia/spool"
)

// The file format, version 2. All numbers except the first two and the last are varints (encoding/binary), signed ones
// with zigzag encoding. Texts and blobs are preceded by their length.
//
//	"spoolidx"                                             8 bytes
//	version                                                uint32, little endian
//	file: size, version
//	stream: format, number, best, codec, width, height, pixel format, rotation (bits of the float64), mirrored, base,
//	    rate, parameters, cut, numbered
//	number of packets
//	of each packet: flags; dts and duration, as the difference to those of the packet before; pts, as the difference to
//	    dts; pos, as the difference to the end of the packet before; size
//	CRC-32C of all before                                  uint32, little endian
//
// A missing time is marked by a flag that exists only in the file.
const (
	magic   = "spoolidx"
	version = 2
)

// Flags that exist only in the file, in addition to those of a packet.
const (
	noPTS Flags = 1 << (iota + 6)
	noDTS
)

const knownFlags = Key | Discard | Hidden | Field | Damaged | Disposable

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// MarshalBinary encodes the index for Unmarshal. The error is always nil.
func (x *Index) MarshalBinary() ([]byte, error) {
	w := writer(make([]byte, 0, 256+len(x.Stream.Parameters)+12*len(x.Packets)))
	w = append(w, magic...)
	w = binary.LittleEndian.AppendUint32(w, version)
	w.number(x.File.Size)
	w.text(x.File.Version)
	s := &x.Stream
	w.text(s.Format)
	w.number(int64(s.Number))
	w.flag(s.Best)
	w.text(s.Codec)
	w.number(int64(s.Width))
	w.number(int64(s.Height))
	w.text(s.PixelFormat)
	w.count(math.Float64bits(s.Rotation))
	w.flag(s.Mirrored)
	for _, n := range [...]int32{s.Base.Num, s.Base.Den, s.Rate.Num, s.Rate.Den} {
		w.number(int64(n))
	}
	w.text(string(s.Parameters))
	w.flag(s.Cut)
	w.flag(s.Numbered)
	w.count(uint64(len(x.Packets)))
	before := Packet{Pos: 0}
	for i := range x.Packets {
		w.packet(&x.Packets[i], &before)
	}
	return binary.LittleEndian.AppendUint32(w, crc32.Checksum(w, castagnoli)), nil
}

// Unmarshal decodes an index.
//
//	Errors: spool.ErrNotMedia for bytes that are no index; spool.ErrUnsupported for another version;
//	        spool.ErrTruncated and spool.ErrCorrupt for damage.
//	Cost:   about 20 ns a packet; memory is in proportion to the bytes.
func Unmarshal(data []byte) (*Index, error) {
	if len(data) < len(magic)+4 || string(data[:len(magic)]) != magic {
		return nil, bad(spool.ErrNotMedia, "no index")
	}
	if v := binary.LittleEndian.Uint32(data[len(magic):]); v != version {
		return nil, bad(spool.ErrUnsupported, "an index of version %d, this build reads version %d", v, version)
	}
	body, sum := data[:len(data)-4], binary.LittleEndian.Uint32(data[len(data)-4:])
	if len(body) < len(magic)+4 || crc32.Checksum(body, castagnoli) != sum {
		return nil, bad(spool.ErrCorrupt, "the checksum is wrong")
	}
	r := reader{data: body[len(magic)+4:]}
	file := File{Size: r.number(), Version: r.text()}
	s := Stream{Format: r.text(), Number: int(r.int32()), Best: r.flag(), Codec: r.text(), Width: int(r.int32()),
		Height: int(r.int32()), PixelFormat: r.text(),
		Rotation: math.Float64frombits(r.count()), Mirrored: r.flag(), Base: Ratio{r.int32(), r.int32()},
		Rate: Ratio{r.int32(), r.int32()}}
	if parameters := r.text(); parameters != "" {
		s.Parameters = []byte(parameters)
	}
	s.Cut, s.Numbered = r.flag(), r.flag()
	n := r.count()
	if r.failed || n > uint64(len(r.data)/packetBytes) {
		return nil, bad(spool.ErrTruncated, "ends before its packets")
	}
	packets := make([]Packet, n)
	before := Packet{Pos: 0}
	for i := range packets {
		r.packet(&packets[i], &before)
	}
	if r.failed || len(r.data) != 0 {
		return nil, bad(spool.ErrCorrupt, "contradicts itself")
	}
	x, err := New(file, s, packets)
	if err != nil {
		return nil, bad(spool.ErrCorrupt, "%v", err)
	}
	return x, nil
}

func bad(class spool.Class, format string, args ...any) error {
	return &spool.Error{Op: "index", Class: class, Text: fmt.Sprintf(format, args...)}
}

// packetBytes is the least size of a packet.
const packetBytes = 6

type writer []byte

func (w *writer) number(n int64) { *w = binary.AppendVarint(*w, n) }
func (w *writer) count(n uint64) { *w = binary.AppendUvarint(*w, n) }

func (w *writer) text(s string) {
	w.count(uint64(len(s)))
	*w = append(*w, s...)
}

func (w *writer) flag(set bool) {
	if set {
		w.count(1)
	} else {
		w.count(0)
	}
}

// packet writes a packet relative to the packet before, and then makes p the packet before. Differences wrap around.
func (w *writer) packet(p, before *Packet) {
	flags := p.Flags & knownFlags
	dts, pts := p.DTS, p.PTS
	if dts == NoPTS {
		flags, dts = flags|noDTS, before.DTS+before.Duration
	}
	if pts == NoPTS {
		flags, pts = flags|noPTS, dts
	}
	w.count(uint64(flags))
	w.number(dts - before.DTS - before.Duration)
	w.number(p.Duration - before.Duration)
	w.number(pts - dts)
	w.number(p.Pos - before.Pos - int64(before.Size))
	w.number(int64(p.Size))
	*before = Packet{DTS: dts, Duration: p.Duration, Pos: p.Pos, Size: p.Size}
}

type reader struct {
	data   []byte
	failed bool
}

func (r *reader) number() int64 {
	v, n := binary.Varint(r.data)
	r.skip(n)
	return v
}

func (r *reader) count() uint64 {
	v, n := binary.Uvarint(r.data)
	r.skip(n)
	return v
}

// skip advances by n bytes; n <= 0 is a failure.
func (r *reader) skip(n int) {
	if n <= 0 {
		r.failed, r.data = true, nil
		return
	}
	r.data = r.data[n:]
}

func (r *reader) int32() int32 {
	v := r.number()
	if v != int64(int32(v)) {
		r.failed = true
	}
	return int32(v)
}

func (r *reader) text() string {
	n := r.count()
	if n > uint64(len(r.data)) {
		r.failed, r.data = true, nil
		return ""
	}
	s := string(r.data[:n])
	r.data = r.data[n:]
	return s
}

func (r *reader) flag() bool {
	n := r.count()
	r.failed = r.failed || n > 1
	return n == 1
}

// packet reads a packet relative to the packet before, and then makes p the packet before.
func (r *reader) packet(p, before *Packet) {
	flags := r.count()
	p.DTS = before.DTS + before.Duration + r.number()
	p.Duration = before.Duration + r.number()
	p.PTS = p.DTS + r.number()
	p.Pos = before.Pos + int64(before.Size) + r.number()
	p.Size = r.int32()
	*before = *p
	if Flags(flags)&noDTS != 0 {
		p.DTS = NoPTS
	}
	if Flags(flags)&noPTS != 0 {
		p.PTS = NoPTS
	}
	p.Flags = Flags(flags) & knownFlags
	r.failed = r.failed || flags > uint64(knownFlags|noPTS|noDTS)
}
