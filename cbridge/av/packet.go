package av

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/asticode/go-astiav"

	"github.com/spoolmedia/spool"
)

// Packet is a compressed part of a stream, usually one frame. It may be used by one goroutine at a time. The next Read
// replaces its content.
type Packet struct {
	packet     *astiav.Packet // nil after Release
	disposable bool           // see Disposable
	cleanup    runtime.Cleanup
}

type packetResource struct{ *astiav.Packet }

func (p packetResource) free() { p.Free() }

// NewPacket allocates an empty packet. The caller MUST call Release.
func NewPacket() (*Packet, error) { return newPacket(astiav.AllocPacket()) }

func newPacket(p *astiav.Packet) (*Packet, error) {
	if p == nil {
		return nil, fmt.Errorf("%w: av: packet", spool.ErrOutOfMemory)
	}
	handles.Add(1)
	packet := &Packet{packet: p}
	packet.cleanup = runtime.AddCleanup(packet, forget, resource(packetResource{p}))
	return packet, nil
}

// Clone returns a packet that shares the payload. The caller MUST call Release.
func (p *Packet) Clone() (*Packet, error) {
	if p.packet == nil {
		return nil, closed("packet")
	}
	defer runtime.KeepAlive(p)
	return newPacket(p.packet.Clone())
}

// Set sets the packet's content to a copy of data. It ignores e.Size.
func (p *Packet) Set(stream int, e Entry, data []byte) error {
	if p.packet == nil {
		return closed("packet")
	}
	defer runtime.KeepAlive(p)
	p.packet.Unref()
	if err := p.packet.AllocPayload(len(data)); err != nil { // FromData does not add the padding that decoders read
		return errors.Join(spool.ErrOutOfMemory, err)
	}
	copy(p.Payload(), data)
	p.mark(stream, e)
	return nil
}

// Stream returns the index of the packet's stream.
func (p *Packet) Stream() int {
	if p.packet == nil {
		return -1
	}
	return p.packet.StreamIndex()
}

// Entry returns the packet's fields without its payload.
func (p *Packet) Entry() Entry {
	if p.packet == nil {
		return Entry{PTS: NoPTS, DTS: NoPTS, Pos: -1}
	}
	flags := p.packet.Flags()
	return Entry{PTS: p.packet.Pts(), DTS: p.packet.Dts(), Duration: p.packet.Duration(), Pos: p.packet.Pos(),
		Size: int32(p.packet.Size()),
		Key:  flags.Has(astiav.PacketFlagKey), Discard: flags.Has(astiav.PacketFlagDiscard),
		Corrupt: flags.Has(astiav.PacketFlagCorrupt)}
}

// Disposable returns Entry.Disposable for an H.264 packet from Read, for callers that have not called Scan. It is false
// for other codecs and other packets.
func (p *Packet) Disposable() bool { return p.disposable }

// SetPTS sets the packet's PTS, in ticks. Its frame gets the same PTS.
func (p *Packet) SetPTS(ticks int64) error {
	if p.packet == nil {
		return closed("packet")
	}
	p.packet.SetPts(ticks)
	return nil
}

// Data returns a copy of the payload.
func (p *Packet) Data() []byte {
	if p.packet == nil {
		return nil
	}
	defer runtime.KeepAlive(p)
	return p.packet.Data()
}

// Release frees the packet. A second Release does nothing.
func (p *Packet) Release() {
	if p.packet != nil {
		p.cleanup.Stop()
		release(packetResource{p.packet})
		p.packet = nil
	}
}
