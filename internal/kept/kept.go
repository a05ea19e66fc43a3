// Package kept holds compressed packets as FFmpeg has them, for package packets and the packages that collect, decode
// or write them.
package kept

import (
	"runtime"

	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/decode/index"
)

// format is the container format in the index of kept packets, whose positions are indices of the list.
const format = "packets"

// Window is [Start, End) in seconds of the container's clock.
type Window struct{ Start, End float64 }

// Packets are the packets of a stream that are needed to decode a window.
type Packets struct {
	Kind       av.Kind
	Parameters av.Parameters
	Table      *index.Index // marks packets outside the window as Discard
	Window     Window
	List       []*av.Packet // the table's packets, in its order
	Memory     *Memory      // the caller's memory that holds the payloads; nil for FFmpeg's memory
	cleanup    runtime.Cleanup
}

// Holder is embedded, under an unexported name, in the type that users see. [Of] finds the packets in it.
type Holder struct{ packets Packets }

func (h *Holder) held() *Packets { return &h.packets }

// Of returns the packets in a value that embeds a Holder.
func Of(p interface{ held() *Packets }) *Packets { return p.held() }

// Clone makes to a list with a separate owner that shares the payloads.
func (p *Packets) Clone(to *Packets) error {
	k := Collector{Stream: p.Table.Stream, Window: p.Window}
	for i, packet := range p.List {
		if err := k.Add(packet, p.Table.Packets[i]); err != nil {
			k.Release()
			return err
		}
	}
	return k.Fill(to, p.Kind, p.Parameters, p.Memory.Retain())
}

// Share makes to share packet i.
func (p *Packets) Share(i int, to *av.Packet) error {
	return to.Share(p.List[i], p.Table.Stream.Number, entryOf(&p.Table.Packets[i]))
}

// Release releases the packets. A second Release does nothing.
func (p *Packets) Release() {
	for _, packet := range p.List {
		packet.Release()
	}
	p.List = nil
	if p.Memory != nil {
		p.cleanup.Stop()
		p.Memory.Release()
		p.Memory = nil
	}
}

// entryOf is a packet's entry for FFmpeg. The Discard flag of packets outside the window is not passed to FFmpeg.
func entryOf(x *index.Packet) av.Entry {
	return av.Entry{PTS: x.PTS, DTS: x.DTS, Duration: x.Duration, Pos: x.Pos, Size: x.Size, Key: x.Flags&index.Key != 0,
		Corrupt: x.Flags&index.Damaged != 0}
}
