package av

/*
#include "payload.h"
*/
import "C"

import (
	"fmt"
	"runtime"
	"unsafe"

	"github.com/asticode/go-astiav"

	"github.com/spoolmedia/spool"
)

// Padding is how many bytes have to follow a payload that is lent: decoders read beyond its end.
const Padding = 64

// SideData is what a packet has beside its payload, by FFmpeg's number for its kind: a palette, new parameters, samples to be skipped.
type SideData struct {
	Type int32
	Data []byte
}

// Payload is the packet's bytes, lent until the packet changes or is released.
func (p *Packet) Payload() []byte {
	if p.packet == nil {
		return nil
	}
	var size C.int32_t
	data := C.spool_av_payload_data(pointer(p.packet), &size)
	return unsafe.Slice((*byte)(data), size)
}

// SideData is a copy of the packet's side data.
func (p *Packet) SideData() []SideData {
	if p.packet == nil {
		return nil
	}
	defer runtime.KeepAlive(p)
	var list []SideData
	for {
		var kind C.int32_t
		var size C.size_t
		data := C.spool_av_payload_side(pointer(p.packet), C.int32_t(len(list)), &kind, &size)
		if data == nil {
			return list
		}
		list = append(list, SideData{int32(kind), C.GoBytes(unsafe.Pointer(data), C.int(size))})
	}
}

// AddSideData adds side data, which are copied.
func (p *Packet) AddSideData(s SideData) error {
	if p.packet == nil {
		return closed("packet")
	}
	defer runtime.KeepAlive(p)
	if C.spool_av_payload_add_side(pointer(p.packet), C.int32_t(s.Type), (*C.uint8_t)(unsafe.SliceData(s.Data)), C.size_t(len(s.Data))) < 0 {
		return fmt.Errorf("%w: av: side data", spool.ErrOutOfMemory)
	}
	return nil
}

// Lend makes the packet one of these bytes as Set does, but copies nothing: data has to be pinned, not to change, and to be
// followed by Padding bytes, for as long as the packet, a clone of it, or a decoder or frame that was given it lives.
func (p *Packet) Lend(stream int, e Entry, data []byte) error {
	if p.packet == nil {
		return closed("packet")
	}
	defer runtime.KeepAlive(p)
	if C.spool_av_payload_lend(pointer(p.packet), (*C.uint8_t)(unsafe.SliceData(data)), C.int32_t(len(data))) < 0 {
		return fmt.Errorf("%w: av: packet", spool.ErrOutOfMemory)
	}
	p.mark(stream, e)
	return nil
}

// Share makes the packet one of another's payload and side data, which are shared, with a stream and an entry of its own; e.Size is not looked at.
func (p *Packet) Share(from *Packet, stream int, e Entry) error {
	if p.packet == nil || from.packet == nil {
		return closed("packet")
	}
	defer runtime.KeepAlive(p)
	defer runtime.KeepAlive(from)
	p.packet.Unref()
	if err := p.packet.Ref(from.packet); err != nil {
		return fmt.Errorf("%w: av: packet", spool.ErrOutOfMemory)
	}
	p.mark(stream, e)
	return nil
}

// mark gives the packet all but its payload.
func (p *Packet) mark(stream int, e Entry) {
	p.packet.SetStreamIndex(stream)
	p.packet.SetPts(e.PTS)
	p.packet.SetDts(e.DTS)
	p.packet.SetDuration(e.Duration)
	p.packet.SetPos(e.Pos)
	var flags astiav.PacketFlags
	for _, f := range [...]struct {
		set  bool
		flag astiav.PacketFlag
	}{{e.Key, astiav.PacketFlagKey}, {e.Discard, astiav.PacketFlagDiscard}, {e.Corrupt, astiav.PacketFlagCorrupt}} {
		if f.set {
			flags = flags.Add(f.flag)
		}
	}
	p.packet.SetFlags(flags)
}
