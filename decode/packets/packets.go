package packets

import (
	"io"
	"iter"
	"runtime"
	"sync/atomic"
	"unsafe"

	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/index"
	"github.com/spoolmedia/spool/decode/internal/container"
)

// Packets holds compressed packets of a stream: those that are needed to decode a window. They can be decoded later,
// also in another process, which gets them as bytes from MarshalBinary: see OpenPackets of package video, and package
// graph.
//
// The caller that received them owns them and releases them once. Methods other than Release are safe for concurrent
// use.
type Packets struct {
	Medium     av.Kind
	Parameters av.Parameters
	Table      *index.Index // marks packets outside the window as Discard
	list       []*av.Packet // the index's packets, in its order
	Range      Window
	lent       *lent // the caller's memory that holds a view's payloads; nil for FFmpeg's memory
	cleanup    runtime.Cleanup
}

// Window is [start, end) in seconds of the container's clock.
type Window struct{ Start, End float64 }

// lent is memory of the caller that stays pinned until the last packet in it is released.
type lent struct {
	pins runtime.Pinner
	refs atomic.Int32
}

func lend(data []byte) *lent {
	l := new(lent)
	l.pins.Pin(unsafe.SliceData(data))
	l.refs.Store(1)
	return l
}

func (l *lent) retain() *lent {
	if l != nil {
		l.refs.Add(1)
	}
	return l
}

func (l *lent) release() {
	if l != nil && l.refs.Add(-1) == 0 {
		l.pins.Unpin()
	}
}

// Info describes packets and their stream.
type Info struct {
	Medium    decode.Medium
	Codec     string // FFmpeg's name of the codec
	Extradata []byte // the codec's parameters; read-only

	Packets    int     // all packets held
	Frames     int     // packets in the window; each video packet gives a frame
	Bytes      int64   // of all payloads
	Start, End float64 // the window in seconds of the container's clock

	Width, Height int // of video
	Channels      int // of audio
	Rate          int // of audio
}

// Packet is one packet. Its times are in seconds, NaN where it has none.
type Packet struct {
	PTS, DTS, Duration float64
	Key                bool
	Outside            bool   // needed only to decode packets in the window
	Data               []byte // valid until the packets are released; read-only
}

// Collector collects packets.
type Collector struct {
	Stream  index.Stream
	Window  Window
	packets []index.Packet
	list    []*av.Packet
}

// Add keeps a packet with the entry x of the index.
func (k *Collector) Add(from *av.Packet, x index.Packet) error {
	packet, err := av.NewPacket()
	if err != nil {
		return err
	}
	k.list = append(k.list, packet)
	x.Pos = int64(len(k.packets)) // the position that SeekByte seeks to
	k.packets = append(k.packets, x)
	return packet.Share(from, k.Stream.Number, container.EntryOf(&x))
}

// Release releases the packets that were added.
func (k *Collector) Release() {
	for _, packet := range k.list {
		packet.Release()
	}
}

// format is the container format in the index of kept packets, whose positions are indices of the list.
const format = "packets"

// Done makes Packets from the collected packets. It takes over one reference to memory.
func (k *Collector) Done(kind av.Kind, parameters av.Parameters, memory *lent) (*Packets, error) {
	k.Stream.Format = format
	x, err := index.New(index.File{}, k.Stream, k.packets)
	if err != nil {
		k.Release()
		memory.release()
		return nil, err
	}
	p := &Packets{Medium: kind, Parameters: parameters, Table: x, list: k.list, Range: k.Window, lent: memory}
	if memory != nil {
		p.cleanup = runtime.AddCleanup(p, (*lent).release, memory)
	}
	return p, nil
}

// Info describes the packets and their stream.
func (p *Packets) Info() Info {
	a := &p.Parameters
	info := Info{Medium: decode.Video, Codec: a.Codec, Extradata: a.Extradata, Packets: len(p.Table.Packets),
		Frames: p.Table.Len(),
		Start:  p.Range.Start, End: p.Range.End, Width: int(a.Width), Height: int(a.Height), Channels: int(a.Channels),
		Rate: int(a.Rate)}
	if p.Medium == av.Audio {
		info.Medium = decode.Audio
	}
	for i := range p.Table.Packets {
		info.Bytes += int64(p.Table.Packets[i].Size)
	}
	return info
}

// Len is the number of packets in the window; for video, the number of frames.
func (p *Packets) Len() int { return p.Table.Len() }

// All yields all packets in decoding order.
func (p *Packets) All() iter.Seq2[int, Packet] {
	return func(yield func(int, Packet) bool) {
		for i, packet := range p.list {
			x := &p.Table.Packets[i]
			one := Packet{PTS: p.seconds(x.PTS), DTS: p.seconds(x.DTS), Duration: p.Table.Seconds(x.Duration),
				Key: x.Flags&index.Key != 0, Outside: x.Flags&index.Discard != 0, Data: packet.Payload()}
			if !yield(i, one) {
				return
			}
		}
	}
}

func (p *Packets) seconds(ticks int64) float64 {
	if ticks == index.NoPTS {
		return nan
	}
	return p.Table.Seconds(ticks)
}

// Clone returns packets with a separate owner that share the payload. Ownership is as for Video.Packets.
func (p *Packets) Clone() (*Packets, error) {
	k := Collector{Stream: p.Table.Stream, Window: p.Range}
	for i, packet := range p.list {
		if err := k.Add(packet, p.Table.Packets[i]); err != nil {
			k.Release()
			return nil, err
		}
	}
	return k.Done(p.Medium, p.Parameters, p.lent.retain())
}

// Release releases the packets. A second Release does nothing.
func (p *Packets) Release() {
	for _, packet := range p.list {
		packet.Release()
	}
	p.list = nil
	if p.lent != nil {
		p.cleanup.Stop()
		p.lent.release()
		p.lent = nil
	}
}

// Reader reads kept packets as if from a file.
type Reader struct {
	Packets *Packets
	at      int
}

// Read shares the next packet with p. io.EOF follows the last one.
func (k *Reader) Read(_ *call.Call, p *av.Packet) error {
	if k.at >= len(k.Packets.list) {
		return io.EOF
	}
	x := &k.Packets.Table.Packets[k.at]
	k.at++
	return p.Share(k.Packets.list[k.at-1], k.Packets.Table.Stream.Number, container.EntryOf(x))
}

// Seek is not needed: all packets have a position.
func (k *Reader) Seek(*call.Call, int, int64) error { return container.ErrNoSeek }

// SeekByte seeks to a packet by its position.
func (k *Reader) SeekByte(_ *call.Call, pos int64) error {
	k.at = int(pos)
	return nil
}

// Close releases the packets.
func (k *Reader) Close() error {
	k.Packets.Release()
	return nil
}
