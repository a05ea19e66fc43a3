package av

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/asticode/go-astiav"

	"github.com/spoolmedia/spool"
)

// Packet is a piece of a stream in its compressed form: one frame as a rule. It belongs to one goroutine at a
// time, and is used again by the next Read.
type Packet struct {
	packet  *astiav.Packet // nil when released
	cleanup runtime.Cleanup
}

type heldPacket struct{ *astiav.Packet }

func (p heldPacket) free() { p.Free() }

// NewPacket makes an empty packet. The caller MUST call Release.
func NewPacket() (*Packet, error) { return newPacket(astiav.AllocPacket()) }

func newPacket(p *astiav.Packet) (*Packet, error) {
	if p == nil {
		return nil, fmt.Errorf("%w: av: packet", spool.ErrOutOfMemory)
	}
	handles.Add(1)
	packet := &Packet{packet: p}
	packet.cleanup = runtime.AddCleanup(packet, forget, held(heldPacket{p}))
	return packet, nil
}

// Clone is a packet of the same payload, which is shared. The caller MUST call Release.
func (p *Packet) Clone() (*Packet, error) {
	if p.packet == nil {
		return nil, closed("packet")
	}
	defer runtime.KeepAlive(p)
	return newPacket(p.packet.Clone())
}

// Set makes the packet one of these bytes, which are copied; e.Size is not looked at.
func (p *Packet) Set(stream int, e Entry, data []byte) error {
	if p.packet == nil {
		return closed("packet")
	}
	defer runtime.KeepAlive(p)
	p.packet.Unref()
	if err := p.packet.AllocPayload(len(data)); err != nil { // FromData leaves no room for what decoders read beyond the end
		return errors.Join(spool.ErrOutOfMemory, err)
	}
	copy(p.Payload(), data)
	p.mark(stream, e)
	return nil
}

// Stream is the number of the packet's stream.
func (p *Packet) Stream() int {
	if p.packet == nil {
		return -1
	}
	return p.packet.StreamIndex()
}

// Entry is all of the packet but its payload.
func (p *Packet) Entry() Entry {
	if p.packet == nil {
		return Entry{PTS: NoPTS, DTS: NoPTS, Pos: -1}
	}
	flags := p.packet.Flags()
	return Entry{PTS: p.packet.Pts(), DTS: p.packet.Dts(), Duration: p.packet.Duration(), Pos: p.packet.Pos(), Size: int32(p.packet.Size()),
		Key: flags.Has(astiav.PacketFlagKey), Discard: flags.Has(astiav.PacketFlagDiscard), Corrupt: flags.Has(astiav.PacketFlagCorrupt)}
}

// SetPTS gives the packet another time, in ticks: its frame has it then.
func (p *Packet) SetPTS(ticks int64) error {
	if p.packet == nil {
		return closed("packet")
	}
	p.packet.SetPts(ticks)
	return nil
}

// Data is a copy of the payload.
func (p *Packet) Data() []byte {
	if p.packet == nil {
		return nil
	}
	defer runtime.KeepAlive(p)
	return p.packet.Data()
}

// Release gives up the payload. A second Release does nothing.
func (p *Packet) Release() {
	if p.packet != nil {
		p.cleanup.Stop()
		release(heldPacket{p.packet})
		p.packet = nil
	}
}
