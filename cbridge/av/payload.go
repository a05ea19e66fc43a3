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

// Padding is the number of bytes that must follow a payload passed to Lend, as decoders read beyond its end.
const Padding = 64

// SideData is data besides a packet's payload, by FFmpeg's number of its type: a palette, new parameters, samples to
// skip.
type SideData struct {
	Type int32
	Data []byte
}

// Payload returns the packet's bytes. They are valid until the packet changes or is released.
func (p *Packet) Payload() []byte {
	if p.packet == nil {
		return nil
	}
	var size C.int32_t
	data := C.spool_av_payload_data(pointer(p.packet), &size)
	return unsafe.Slice((*byte)(data), size)
}

// SideData returns a copy of the packet's side data.
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

// AddSideData adds a copy of side data.
func (p *Packet) AddSideData(s SideData) error {
	if p.packet == nil {
		return closed("packet")
	}
	defer runtime.KeepAlive(p)
	if C.spool_av_payload_add_side(pointer(p.packet), C.int32_t(s.Type), (*C.uint8_t)(unsafe.SliceData(s.Data)),
		C.size_t(len(s.Data))) < 0 {
		return fmt.Errorf("%w: av: side data", spool.ErrOutOfMemory)
	}
	return nil
}

// Lend sets the packet's content to data, as Set does, without a copy. data must be pinned, must not change, and must
// be followed by Padding bytes. This holds until the packet, its clones, and decoders and frames that received it are
// released.
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

// Share sets the packet's content to the payload and side data of another packet, which are shared, with another stream
// and entry. It ignores e.Size.
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

// mark sets the packet's fields except its payload.
func (p *Packet) mark(stream int, e Entry) {
	p.disposable = e.Disposable
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
