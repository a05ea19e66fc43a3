package packets

import (
	"iter"
	"math"

	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/index"
	"github.com/spoolmedia/spool/internal/kept"
)

// Packets holds compressed packets of a stream: those that are needed to decode a window. They can be decoded later,
// also in another process, which gets them as bytes from MarshalBinary: see OpenPackets of package video, and package
// graph.
//
// The caller that received them owns them and releases them once. Methods other than Release are safe for concurrent
// use.
type Packets struct {
	holder //nolint:unused // package kept finds it
}

type holder = kept.Holder //nolint:unused // embedded above

// Info describes packets and their stream.
type Info struct {
	Medium    decode.Medium
	Codec     string // FFmpeg's name of the codec
	Extradata []byte // the codec's parameters; read-only

	Packets    int     // all packets held
	Frames     int     // packets in the window; each video packet gives a frame
	Bytes      int64   // of all payloads
	Start, End float64 // the window in seconds of the container's clock

	Width, Height int    // of video
	PixelFormat   string // of video: FFmpeg's name
	Channels      int    // of audio
	Rate          int    // of audio: samples a second
}

// Packet is one packet. Its times are in seconds, NaN where it has none.
type Packet struct {
	PTS, DTS, Duration float64
	Key                bool
	Outside            bool   // needed only to decode packets in the window
	Data               []byte // valid until the packets are released; read-only
}

// Info describes the packets and their stream.
func (p *Packets) Info() Info {
	k := kept.Of(p)
	a := &k.Parameters
	info := Info{Medium: decode.Medium(k.Kind.String()), Codec: a.Codec, Extradata: a.Extradata,
		Packets: len(k.Table.Packets),
		Frames:  p.Len(), Start: k.Window.Start, End: k.Window.End, Width: int(a.Width), Height: int(a.Height),
		PixelFormat: a.PixelFormat, Channels: int(a.Channels), Rate: int(a.Rate)}
	for i := range k.Table.Packets {
		info.Bytes += int64(k.Table.Packets[i].Size)
	}
	return info
}

// Index is the table of the packets, shared and read-only. Positions are those of All. Packets outside of the window
// are marked as Discard.
func (p *Packets) Index() *index.Index { return kept.Of(p).Table }

// Len is the number of packets in the window; for video, the number of frames.
func (p *Packets) Len() int { return p.Index().Len() }

// All yields all packets in decoding order.
func (p *Packets) All() iter.Seq2[int, Packet] {
	return func(yield func(int, Packet) bool) {
		x := p.Index()
		for i, packet := range kept.Of(p).List {
			e := &x.Packets[i]
			one := Packet{PTS: seconds(x, e.PTS), DTS: seconds(x, e.DTS), Duration: x.Seconds(e.Duration),
				Key: e.Flags&index.Key != 0, Outside: e.Flags&index.Discard != 0, Data: packet.Payload()}
			if !yield(i, one) {
				return
			}
		}
	}
}

// seconds converts a time of the table; NaN if it is unknown.
func seconds(x *index.Index, ticks int64) float64 {
	if ticks == index.NoPTS {
		return math.NaN()
	}
	return x.Seconds(ticks)
}

// Clone returns packets with a separate owner that share the payload. Ownership is as for Video.Packets.
func (p *Packets) Clone() (*Packets, error) {
	clone := new(Packets)
	if err := kept.Of(p).Clone(kept.Of(clone)); err != nil {
		return nil, err
	}
	return clone, nil
}

// Release releases the packets. A second Release does nothing.
func (p *Packets) Release() { kept.Of(p).Release() }
