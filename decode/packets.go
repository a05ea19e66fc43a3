package decode

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"runtime"
	"sync/atomic"
	"unsafe"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/decode/index"
)

// Packets are packets of a stream that are kept in their compressed form: those that it takes to decode a window of it. They can be
// decoded later, also by another process, to which MarshalBinary brings them: see [Decoder.OpenPackets].
//
// They are owned by who received them, and released once. Methods other than Release are safe for concurrent use.
type Packets struct {
	kind       av.Kind
	parameters av.Parameters
	index      *index.Index // what lies outside of the window is Discard there
	list       []*av.Packet // of the index's packets, in its order
	window     window
	lent       *lent // what a view's payload lies in; nil: FFmpeg's memory
	cleanup    runtime.Cleanup
}

// window is [start, end), in seconds by the container's clock.
type window struct{ start, end float64 }

// lent is memory of the caller's, which stays where it is until the last packet in it has been released.
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

// PacketsInfo says what packets are of.
type PacketsInfo struct {
	Kind          Kind
	Codec         string  // FFmpeg's name
	Extradata     []byte  // the codec's parameters; only to be read
	Packets       int     // all that are kept
	Frames        int     // packets in the window; those of video give a frame each
	Bytes         int64   // of all payloads
	Start, End    float64 // the window in seconds, by the container's clock
	Width, Height int     // of video
	Channels      int     // of audio
	Rate          int     // of audio
}

// Packet is a packet, by its times in seconds (NaN where it has none).
type Packet struct {
	PTS, DTS, Duration float64
	Key                bool
	Outside            bool   // only decoded, for what lies in the window
	Data               []byte // lent until the packets are released, and only to be read
}

// Packets keeps the packets that it takes to decode the frames that begin in [start, end), in seconds: from a key packet on. See
// index.Index.Window for which frames these are; from -Inf to +Inf all of the video.
//
//	Ownership: the caller owns the packets and MUST release them; they may outlive the video.
//	Errors:    ErrOptions for a window that ends before it starts; ErrUnsupported for an input that is a stream; those of
//	           reading; ErrClosed.
//	Cost:      reading the window; no payload is copied.
func (v *Video) Packets(ctx context.Context, start, end float64) (*Packets, error) {
	switch {
	case v.input == nil:
		return nil, fmt.Errorf("decode: video: %w", spool.ErrClosed)
	case !(start <= end):
		return nil, fmt.Errorf("%w: a window from %v to %v", spool.ErrOptions, start, end)
	case v.index == nil:
		return nil, &spool.Error{Op: "decode", File: v.name, Class: spool.ErrUnsupported, Text: "packets of a stream cannot be chosen"}
	}
	first, n := v.index.Window(start, end)
	frames := make([]int, n)
	shown := make(map[int]bool, n)
	for i := range frames {
		frames[i] = first + i
		shown[v.index.PacketOf(first+i)], shown[v.index.LastOf(first+i)] = true, true
	}
	runs := v.index.Plan(frames).Runs
	if err := v.await(ctx, v.expect(runs, 0)); err != nil {
		return nil, v.fault(ctx, err)
	}
	c, err := v.enter(ctx)
	if err != nil {
		return nil, v.fault(ctx, err)
	}
	defer c.Leave()
	defer v.player.lose() // the decoder has not seen what is read here
	k := keeper{stream: v.index.Stream, window: window{start, end}}
	for _, run := range runs {
		if err := v.player.keep(c, run, shown, &k); err != nil {
			k.release()
			return nil, v.fault(ctx, err)
		}
	}
	p, err := k.done(av.Video, v.parameters, nil)
	return p, v.fault(ctx, err)
}

// keep keeps the packets of a run.
func (p *player) keep(c *call.Call, run index.Run, shown map[int]bool, k *keeper) error {
	if err := p.goTo(c, run.First); err != nil {
		return err
	}
	for p.at <= run.Last {
		n, err := p.read(c)
		if errors.Is(err, io.EOF) {
			return &spool.Error{Op: "decode", Class: spool.ErrTruncated, Text: "the file has become shorter than its index says"}
		}
		if err != nil {
			return err
		}
		if n > run.Last {
			return nil
		}
		packet := p.video.index.Packets[n]
		if !shown[n] {
			packet.Flags |= index.Discard
		}
		if err := k.add(p.packet, packet); err != nil {
			return err
		}
	}
	return nil
}

// keeper gathers packets.
type keeper struct {
	stream  index.Stream
	window  window
	packets []index.Packet
	list    []*av.Packet
}

// add keeps a packet, whose entry becomes that of the index.
func (k *keeper) add(from *av.Packet, x index.Packet) error {
	packet, err := av.NewPacket()
	if err != nil {
		return err
	}
	k.list = append(k.list, packet)
	x.Pos = int64(len(k.packets)) // by which it is found again
	k.packets = append(k.packets, x)
	return packet.Share(from, k.stream.Number, entryOf(&x))
}

// entryOf is what FFmpeg is told of a packet. What lies outside of the window is none of its business.
func entryOf(x *index.Packet) av.Entry {
	return av.Entry{PTS: x.PTS, DTS: x.DTS, Duration: x.Duration, Pos: x.Pos, Size: x.Size, Key: x.Flags&index.Key != 0, Corrupt: x.Flags&index.Damaged != 0}
}

func (k *keeper) release() {
	for _, packet := range k.list {
		packet.Release()
	}
}

// keptFormat is what the index of kept packets says of the container: their positions are places in the list.
const keptFormat = "packets"

// done makes the packets of what was kept. It takes over a reference to the memory they lie in.
func (k *keeper) done(kind av.Kind, parameters av.Parameters, memory *lent) (*Packets, error) {
	k.stream.Format = keptFormat
	x, err := index.New(index.File{}, k.stream, k.packets)
	if err != nil {
		k.release()
		memory.release()
		return nil, err
	}
	p := &Packets{kind: kind, parameters: parameters, index: x, list: k.list, window: k.window, lent: memory}
	if memory != nil {
		p.cleanup = runtime.AddCleanup(p, (*lent).release, memory)
	}
	return p, nil
}

// Info says what the packets are of.
func (p *Packets) Info() PacketsInfo {
	a := &p.parameters
	info := PacketsInfo{Kind: KindVideo, Codec: a.Codec, Extradata: a.Extradata, Packets: len(p.index.Packets), Frames: p.index.Len(),
		Start: p.window.start, End: p.window.end, Width: int(a.Width), Height: int(a.Height), Channels: int(a.Channels), Rate: int(a.Rate)}
	if p.kind == av.Audio {
		info.Kind = KindAudio
	}
	for i := range p.index.Packets {
		info.Bytes += int64(p.index.Packets[i].Size)
	}
	return info
}

// Len is the number of packets in the window, of video that of the frames.
func (p *Packets) Len() int { return p.index.Len() }

// All gives all packets in the order of decoding.
func (p *Packets) All() iter.Seq2[int, Packet] {
	return func(yield func(int, Packet) bool) {
		for i, packet := range p.list {
			x := &p.index.Packets[i]
			one := Packet{PTS: p.seconds(x.PTS), DTS: p.seconds(x.DTS), Duration: p.index.Seconds(x.Duration),
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
	return p.index.Seconds(ticks)
}

// Clone gives packets of their own owner, which share the payload. Ownership as that of Video.Packets.
func (p *Packets) Clone() (*Packets, error) {
	k := keeper{stream: p.index.Stream, window: p.window}
	for i, packet := range p.list {
		if err := k.add(packet, p.index.Packets[i]); err != nil {
			k.release()
			return nil, err
		}
	}
	return k.done(p.kind, p.parameters, p.lent.retain())
}

// Release gives up the packets. A second Release does nothing.
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

// OpenPackets opens packets of video as a video of its own: the frames of the window, counted from 0, with the times that they have in
// the file. Of the options Threads, Codec and CodecOptions count.
//
//	Ownership: the caller owns the video and MUST Close it, before the decoder. The packets may be released before.
//	Errors:    ErrOptions for packets of something else; ErrEmpty for a window without a frame; those of OpenVideo.
//	Cost:      that of a clone: some 100 ns a packet.
func (d *Decoder) OpenPackets(ctx context.Context, p *Packets, o VideoOptions) (*Video, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if p.kind != av.Video {
		return nil, fmt.Errorf("%w: packets of %v as a video", spool.ErrOptions, p.kind)
	}
	if p.Len() == 0 {
		return nil, &spool.Error{Op: "decode", Class: spool.ErrEmpty, Text: "no frame begins in the window of the packets"}
	}
	clone, err := p.Clone()
	if err != nil {
		return nil, err
	}
	v := &Video{decoder: d, options: o, input: &keptInput{packets: clone}, parameters: p.parameters}
	v.describe(&p.index.Stream)
	err = errors.Join(v.player.open(v), v.withinLimits(), v.setIndex(p.index))
	if err != nil {
		return nil, v.fault(ctx, errors.Join(err, v.Close()))
	}
	return v, nil
}

// keptInput reads kept packets as a file is read.
type keptInput struct {
	packets *Packets
	at      int
}

func (k *keptInput) Read(_ *call.Call, p *av.Packet) error {
	if k.at >= len(k.packets.list) {
		return io.EOF
	}
	x := &k.packets.index.Packets[k.at]
	k.at++
	return p.Share(k.packets.list[k.at-1], k.packets.index.Stream.Number, entryOf(x))
}

// Seek is not needed: all packets have a position.
func (k *keptInput) Seek(*call.Call, int, int64) error { return errNoWay }

func (k *keptInput) SeekByte(_ *call.Call, pos int64) error {
	k.at = int(pos)
	return nil
}

func (k *keptInput) Close() error {
	k.packets.Release()
	return nil
}
