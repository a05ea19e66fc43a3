package decode

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/decode/index"
)

// Packets as bytes, version 1. Numbers are little endian.
//
//	"spoolpkt"               8 bytes
//	version, kind            uint32 each; 1 is video, 2 is audio
//	start, end               float64 each: the window
//	length                   uint64: of what follows it
//	index                    what index.Index.MarshalBinary gives, with the stream's parameters
//	of each packet:          number of its side data; of each its type and its length (uint32 each), and its bytes
//	of each packet:          payload, which begins at a multiple of 64 and is followed by 64 zeros at least
//	CRC-32C of all before    uint32
//
// Payloads lie so that a decoder can read them where they are, and beyond their ends.
const (
	packetMagic   = "spoolpkt"
	packetVersion = 1
	packetHeader  = 8 + 4 + 4 + 8 + 8 + 8
	packetAlign   = 64
)

var packetSum = crc32.MakeTable(crc32.Castagnoli)

var nan = math.NaN()

// MarshalBinary gives the packets as bytes: all that another process needs to decode them.
func (p *Packets) MarshalBinary() ([]byte, error) { return p.AppendBinary(nil) }

// AppendBinary appends what MarshalBinary gives to b. It allocates once at most.
func (p *Packets) AppendBinary(b []byte) ([]byte, error) {
	x, err := p.index.MarshalBinary()
	if err != nil {
		return b, err
	}
	side := make([][]av.SideData, len(p.list))
	size := packetHeader + len(x)
	for i, packet := range p.list {
		side[i] = packet.SideData()
		size += 4
		for _, s := range side[i] {
			size += 8 + len(s.Data)
		}
	}
	for i := range p.list {
		size = aligned(size) + int(p.index.Packets[i].Size) + av.Padding
	}
	size = aligned(size) + 4
	start := len(b)
	if cap(b)-start < size {
		b = append(make([]byte, 0, start+size), b...)
	}
	b = append(b, packetMagic...)
	b = binary.LittleEndian.AppendUint32(b, packetVersion)
	b = binary.LittleEndian.AppendUint32(b, uint32(p.kind))
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(p.window.start))
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(p.window.end))
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
	for _, packet := range p.list {
		b = pad(b, start)
		b = append(b, packet.Payload()...)
		b = append(b, make([]byte, av.Padding)...)
	}
	b = pad(b, start)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[start:], packetSum)), nil
}

// aligned is the next multiple of packetAlign.
func aligned(n int) int { return (n + packetAlign - 1) &^ (packetAlign - 1) }

// pad appends zeros up to the next place for a payload, counted from start.
func pad(b []byte, start int) []byte {
	n := len(b) - start
	return append(b, make([]byte, aligned(n)-n)...)
}

// UnmarshalPackets reads packets from bytes, of which it copies what it needs.
//
//	Ownership: as of Video.Packets.
//	Errors:    ErrNotMedia for bytes that are no packets; ErrUnsupported for another version; ErrTruncated and ErrCorrupt
//	           for damage.
//	Cost:      a copy of the bytes; no memory beyond what they can hold.
func UnmarshalPackets(data []byte) (*Packets, error) {
	return unmarshalPackets(data, nil, func(to *av.Packet, stream int, e av.Entry, payload []byte) error {
		return to.Set(stream, e, payload)
	})
}

// ViewPackets is UnmarshalPackets without a copy: payloads stay where they are, in memory that another process may have written. Data
// are lent, and must not change, until the packets, their clones, and the videos and graphs made of them have been released or closed.
func ViewPackets(data []byte) (*Packets, error) {
	return unmarshalPackets(data, lend(data), func(to *av.Packet, stream int, e av.Entry, payload []byte) error {
		return to.Lend(stream, e, payload)
	})
}

func unmarshalPackets(data []byte, memory *lent, fill func(to *av.Packet, stream int, e av.Entry, payload []byte) error) (*Packets, error) {
	var k keeper
	r, err := newPacketReader(data)
	if err == nil {
		k.stream, k.window = r.index.Stream, r.window
		err = r.read(&k, fill)
	}
	if err != nil {
		k.release()
		memory.release()
		return nil, err
	}
	return k.done(r.kind, r.parameters, memory)
}

// packetReader reads packets from bytes.
type packetReader struct {
	kind       av.Kind
	window     window
	parameters av.Parameters
	index      *index.Index
	data       []byte // without the sum
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
	r.window = window{math.Float64frombits(binary.LittleEndian.Uint64(data[16:])), math.Float64frombits(binary.LittleEndian.Uint64(data[24:]))}
	length := binary.LittleEndian.Uint64(data[32:])
	if length > uint64(len(r.data)-r.at) {
		return nil, badPackets(spool.ErrTruncated, "ends within its index")
	}
	var err error
	if r.index, err = index.Decode(r.take(int(length))); err != nil {
		return nil, err
	}
	if r.parameters, err = unmarshalParameters(r.index.Stream.Parameters); err != nil {
		return nil, err
	}
	return r, nil
}

func badPackets(class spool.Class, format string, args ...any) error {
	return &spool.Error{Op: "packets", Class: class, Text: fmt.Sprintf(format, args...)}
}

// take gives the next n bytes, nil when there are fewer.
func (r *packetReader) take(n int) []byte {
	if n < 0 || n > len(r.data)-r.at {
		return nil
	}
	r.at += n
	return r.data[r.at-n : r.at : r.at]
}

// number gives the next uint32, and false at the end.
func (r *packetReader) number() (uint32, bool) {
	b := r.take(4)
	if b == nil {
		return 0, false
	}
	return binary.LittleEndian.Uint32(b), true
}

// read gives the packets to a keeper: payloads by fill, then side data.
func (r *packetReader) read(k *keeper, fill func(to *av.Packet, stream int, e av.Entry, payload []byte) error) error {
	side := make([][]av.SideData, len(r.index.Packets))
	for i := range side {
		var ok bool
		if side[i], ok = r.side(); !ok {
			return badPackets(spool.ErrTruncated, "ends within the side data of packet %d", i)
		}
	}
	for i := range r.index.Packets {
		x := r.index.Packets[i]
		x.Pos = int64(i)
		r.at = min(aligned(r.at), len(r.data))
		payload := r.take(int(x.Size))
		if payload == nil || r.take(av.Padding) == nil {
			return badPackets(spool.ErrTruncated, "ends within packet %d", i)
		}
		packet, err := av.NewPacket()
		if err != nil {
			return err
		}
		k.list, k.packets = append(k.list, packet), append(k.packets, x)
		if err := fill(packet, k.stream.Number, entryOf(&x), payload); err != nil {
			return err
		}
		for _, s := range side[i] {
			if err := packet.AddSideData(s); err != nil {
				return err
			}
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
