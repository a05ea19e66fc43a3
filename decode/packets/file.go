package packets

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/decode/index"
	"github.com/spoolmedia/spool/decode/internal/container"
	"github.com/spoolmedia/spool/internal/kept"
)

// Packets as bytes, version 1. Numbers are little endian.
//
//	"spoolpkt"         8 bytes
//	version            uint32
//	medium             uint32: 1 is video, 2 is audio
//	start, end         float64 each: the window
//	length             uint64: the length of the index in bytes
//	index              as Index.MarshalBinary encodes it, with the stream's parameters
//	for each packet:   the number of its side data, uint32
//	  for each:        its type and its length, uint32 each, and its bytes
//	for each packet:   its payload, at a multiple of 64 bytes, and at least 64 zeros
//	CRC-32C            uint32, of all bytes before it
//
// The alignment and the zeros let a decoder read payloads in place, and beyond their ends.
const (
	packetMagic   = "spoolpkt"
	packetVersion = 1
	packetHeader  = 8 + 4 + 4 + 8 + 8 + 8
	packetAlign   = 64
)

var packetSum = crc32.MakeTable(crc32.Castagnoli)

// MarshalBinary returns the packets as bytes, with all that another process needs to decode them.
func (p *Packets) MarshalBinary() ([]byte, error) { return p.AppendBinary(nil) }

// AppendBinary appends the bytes of MarshalBinary to b. It allocates at most once.
func (p *Packets) AppendBinary(b []byte) ([]byte, error) {
	k := kept.Of(p)
	x, err := k.Table.MarshalBinary()
	if err != nil {
		return b, err
	}
	side := make([][]av.SideData, len(k.List))
	size := packetHeader + len(x)
	for i, packet := range k.List {
		side[i] = packet.SideData()
		size += 4
		for _, s := range side[i] {
			size += 8 + len(s.Data)
		}
	}
	for i := range k.List {
		size = aligned(size) + int(k.Table.Packets[i].Size) + av.Padding
	}
	size = aligned(size) + 4
	start := len(b)
	if cap(b)-start < size {
		b = append(make([]byte, 0, start+size), b...)
	}
	b = append(b, packetMagic...)
	b = binary.LittleEndian.AppendUint32(b, packetVersion)
	b = binary.LittleEndian.AppendUint32(b, uint32(k.Kind))
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(k.Window.Start))
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(k.Window.End))
	b = binary.LittleEndian.AppendUint64(b, uint64(len(x)))
	b = append(b, x...)
	for _, list := range side {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(list)))
		for _, s := range list {
			b = binary.LittleEndian.AppendUint32(b, uint32(s.Type))
			b = binary.LittleEndian.AppendUint32(b, uint32(len(s.Data)))
			b = append(b, s.Data...)
		}
	}
	for _, packet := range k.List {
		b = pad(b, start)
		b = append(b, packet.Payload()...)
		b = append(b, make([]byte, av.Padding)...)
	}
	b = pad(b, start)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[start:], packetSum)), nil
}

// aligned is n rounded up to a multiple of packetAlign.
func aligned(n int) int { return (n + packetAlign - 1) &^ (packetAlign - 1) }

// pad appends zeros up to the next aligned offset, counted from start.
func pad(b []byte, start int) []byte {
	n := len(b) - start
	return append(b, make([]byte, aligned(n)-n)...)
}

// Unmarshal reads packets from bytes. It copies what it keeps.
//
//	Ownership: as for Video.Packets.
//	Errors:    ErrNotMedia for bytes that are not packets; ErrUnsupported for another version; ErrTruncated and
//	           ErrCorrupt for damage.
//	Cost:      a copy of the bytes; memory is bounded by the length of data, not by declared sizes.
func Unmarshal(data []byte) (*Packets, error) {
	return unmarshalPackets(data, nil, func(to *av.Packet, stream int, e av.Entry, payload []byte) error {
		return to.Set(stream, e, payload)
	})
}

// View is Unmarshal without a copy: payloads stay in data, which another process may have written. The
// caller must not change data until the packets, their clones, and the videos and graphs made from them have been
// released or closed.
func View(data []byte) (*Packets, error) {
	return unmarshalPackets(data, kept.Lend(data), func(to *av.Packet, stream int, e av.Entry, payload []byte) error {
		return to.Lend(stream, e, payload)
	})
}

func unmarshalPackets(data []byte, memory *kept.Memory,
	fill func(to *av.Packet, stream int, e av.Entry, payload []byte) error) (*Packets, error) {
	var k kept.Collector
	r, err := newPacketReader(data)
	if err == nil {
		k.Stream, k.Window = r.index.Stream, r.window
		err = r.read(&k, fill)
	}
	if err != nil {
		k.Release()
		memory.Release()
		return nil, err
	}
	p := new(Packets)
	if err := k.Fill(kept.Of(p), r.kind, r.parameters, memory); err != nil {
		return nil, err
	}
	return p, nil
}

// packetReader reads packets from bytes.
type packetReader struct {
	kind       av.Kind
	window     kept.Window
	parameters av.Parameters
	index      *index.Index
	data       []byte // without the checksum
	at         int
}

func newPacketReader(data []byte) (*packetReader, error) {
	if len(data) < len(packetMagic) || string(data[:len(packetMagic)]) != packetMagic {
		return nil, badPackets(spool.ErrNotMedia, "no packets")
	}
	if len(data) < packetHeader+4 {
		return nil, badPackets(spool.ErrTruncated, "%d bytes", len(data))
	}
	if v := binary.LittleEndian.Uint32(data[8:]); v != packetVersion {
		return nil, badPackets(spool.ErrUnsupported, "packets of version %d, this build reads version %d", v, packetVersion)
	}
	r := &packetReader{kind: av.Kind(data[12]), data: data[:len(data)-4], at: packetHeader}
	if crc32.Checksum(r.data, packetSum) != binary.LittleEndian.Uint32(data[len(r.data):]) {
		return nil, badPackets(spool.ErrCorrupt, "the checksum is wrong")
	}
	if kind := binary.LittleEndian.Uint32(data[12:]); kind != uint32(av.Video) && kind != uint32(av.Audio) {
		return nil, badPackets(spool.ErrCorrupt, "packets of kind %d", kind)
	}
	r.window = kept.Window{Start: math.Float64frombits(binary.LittleEndian.Uint64(data[16:])),
		End: math.Float64frombits(binary.LittleEndian.Uint64(data[24:]))}
	length := binary.LittleEndian.Uint64(data[32:])
	if length > uint64(len(r.data)-r.at) {
		return nil, badPackets(spool.ErrTruncated, "ends within its index")
	}
	var err error
	if r.index, err = index.Unmarshal(r.take(int(length))); err != nil {
		return nil, err
	}
	if r.parameters, err = container.UnmarshalParameters(r.index.Stream.Parameters); err != nil {
		return nil, err
	}
	return r, nil
}

func badPackets(class spool.Class, format string, args ...any) error {
	return &spool.Error{Op: "packets", Class: class, Text: fmt.Sprintf(format, args...)}
}

// take returns the next n bytes, or nil when fewer remain.
func (r *packetReader) take(n int) []byte {
	if n < 0 || n > len(r.data)-r.at {
		return nil
	}
	r.at += n
	return r.data[r.at-n : r.at : r.at]
}

// number returns the next uint32, and false at the end.
func (r *packetReader) number() (uint32, bool) {
	b := r.take(4)
	if b == nil {
		return 0, false
	}
	return binary.LittleEndian.Uint32(b), true
}

// read adds the packets to a keeper: the payload with fill, then the side data.
func (r *packetReader) read(k *kept.Collector,
	fill func(to *av.Packet, stream int, e av.Entry, payload []byte) error) error {
	side := make([][]av.SideData, len(r.index.Packets))
	for i := range side {
		var ok bool
		if side[i], ok = r.side(); !ok {
			return badPackets(spool.ErrTruncated, "ends within the side data of packet %d", i)
		}
	}
	for i := range r.index.Packets {
		x := r.index.Packets[i]
		r.at = min(aligned(r.at), len(r.data))
		payload := r.take(int(x.Size))
		if payload == nil || r.take(av.Padding) == nil {
			return badPackets(spool.ErrTruncated, "ends within packet %d", i)
		}
		err := k.New(x, func(packet *av.Packet, e av.Entry) error {
			if err := fill(packet, k.Stream.Number, e, payload); err != nil {
				return err
			}
			for _, s := range side[i] {
				if err := packet.AddSideData(s); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// side reads the side data of a packet.
func (r *packetReader) side() ([]av.SideData, bool) {
	n, ok := r.number()
	if !ok || n > uint32(len(r.data)-r.at)/8 {
		return nil, false
	}
	var list []av.SideData
	for range n {
		kind, _ := r.number()
		size, ok := r.number()
		data := r.take(int(size))
		if !ok || data == nil {
			return nil, false
		}
		list = append(list, av.SideData{Type: int32(kind), Data: data})
	}
	return list, true
}
