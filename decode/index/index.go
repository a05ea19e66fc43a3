package index

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/spoolmedia/spool"
)

// NoPTS is the time of a packet without one.
const NoPTS = math.MinInt64

// Flags are the properties of a packet.
type Flags uint8

const (
	Key        Flags = 1 << iota // a decoder may begin here
	Discard                      // decoded, but not shown: an edit list cuts it off
	Hidden                       // gives no frame
	Field                        // the second field of the frame that the packet before begins
	Damaged                      // as reported by the demuxer
	Disposable                   // by its own header, no other packet's frame is predicted from it
)

// Packet is a packet of the stream. Times are in ticks of the stream's time base.
type Packet struct {
	PTS, DTS int64 // NoPTS if the container has none
	Duration int64 // 0 if unknown
	Pos      int64 // in the file; -1 if the container cannot tell
	Size     int32
	Flags    Flags
}

// Ratio is a fraction. Both fields are 0 if it is unknown.
type Ratio struct{ Num, Den int32 }

// Stream describes the stream of the packets.
type Stream struct {
	Format        string // of the file, by the name that its reader uses
	Number        int    // in the file
	Best          bool   // it is the default stream
	Codec         string
	Width, Height int // as stored
	PixelFormat   string
	Rotation      float64 // counter-clockwise degrees by which frames are turned for display
	Mirrored      bool    // vertically, before the rotation
	Base          Ratio   // seconds of a tick
	Rate          Ratio   // average frames a second
	Parameters    []byte  // of the decoder, in the encoding of the package that wrote it

	// Cut means that the file ends within a packet.
	Cut bool

	// Numbered means that the file lacks times. PTS is then the time of the frame that the packet gave when the stream was
	// decoded once (see NewNumbered). Packets must get these times before they are decoded.
	Numbered bool
}

// File identifies a version of a file.
type File struct {
	Size    int64  // bytes
	Version string // time of the last change, ETag or digest
}

// Index is a table of packets.
type Index struct {
	File    File
	Stream  Stream
	Packets []Packet // in decoding order

	frames []int32 // the packet of each frame
	keys   []int32 // packets with Key
}

// New makes the index of packets, and keeps the slice.
//
//	Errors: spool.ErrOptions for a time base that is not a positive fraction, or more than 2^31-1 packets.
//	Cost:   sorts the frames; 4 bytes for each frame, in addition to the packets.
func New(file File, stream Stream, packets []Packet) (*Index, error) {
	if stream.Base.Num <= 0 || stream.Base.Den <= 0 {
		return nil, fmt.Errorf("%w: index: a time base of %d/%d", spool.ErrOptions, stream.Base.Num, stream.Base.Den)
	}
	if len(packets) > math.MaxInt32 {
		return nil, fmt.Errorf("%w: index: %d packets", spool.ErrOptions, len(packets))
	}
	x := &Index{File: file, Stream: stream, Packets: packets}
	for i := range packets {
		p := &packets[i]
		if p.Flags&Key != 0 {
			x.keys = append(x.keys, int32(i))
		}
		if p.Flags&(Discard|Hidden|Field) == 0 && p.PTS != NoPTS {
			x.frames = append(x.frames, int32(i))
		}
	}
	orphan := func(packet int32) int { // before the first key packet: a decodable packet of the same time is preferred
		if len(x.keys) > 0 && packet < x.keys[0] {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(x.frames, func(a, b int32) int {
		return cmp.Or(cmp.Compare(packets[a].PTS, packets[b].PTS), orphan(a)-orphan(b))
	})
	x.frames = slices.CompactFunc(x.frames, func(a, b int32) bool { return packets[a].PTS == packets[b].PTS })
	return x, nil
}

// NewNumbered makes the index of a stream whose packets have no times, or too few. order lists the packets of its
// frames in the order in which a decoder returned these, as positions in packets. Known times are used as long as they
// increase. Times between them are evenly spaced. Times before the first and after the last one are spaced by the first
// packet's duration, or one tick if it has none. If no time is known, the first frame is at 0.
func NewNumbered(file File, stream Stream, packets []Packet, order []int) (*Index, error) {
	stream.Numbered = true
	seen := make([]bool, len(packets))
	times := make([]int64, len(order))
	for place, i := range order {
		if i < 0 || i >= len(packets) || seen[i] {
			return nil, fmt.Errorf("%w: index: frame %d of packet %d of %d", spool.ErrOptions, place, i, len(packets))
		}
		seen[i], times[place] = true, packets[i].PTS
	}
	if len(packets) > 0 {
		spread(times, max(packets[0].Duration, 1))
	}
	for i := range packets {
		packets[i].PTS = NoPTS
	}
	for place, i := range order {
		packets[i].PTS = times[place]
	}
	return New(file, stream, packets)
}

// spread fills in missing times, so that all increase.
func spread(times []int64, duration int64) {
	known := -1 // position of the last known time
	for i, t := range times {
		if t == NoPTS || known >= 0 && t-times[known] < int64(i-known) {
			times[i] = NoPTS
			continue
		}
		for k := known + 1; k < i; k++ {
			if known < 0 {
				times[k] = t - int64(i-k)*duration
			} else {
				times[k] = times[known] + (t-times[known])/int64(i-known)*int64(k-known)
			}
		}
		known = i
	}
	for k := known + 1; k < len(times); k++ {
		if k == 0 {
			times[k] = 0
		} else {
			times[k] = times[k-1] + duration
		}
	}
}

// Timed reports whether the packets have the times that New needs: all shown ones, or all but a few.
func Timed(packets []Packet) bool {
	shown, without := 0, 0
	for i := range packets {
		if packets[i].Flags&(Discard|Hidden|Field) == 0 {
			shown++
			if packets[i].PTS == NoPTS {
				without++
			}
		}
	}
	return without == 0 || without*timedShare < shown
}

// timedShare bounds missing times: fewer than one of so many frames may lack one, as damaged packets do. New leaves
// these out.
const timedShare = 16

// Len is the number of frames.
func (x *Index) Len() int { return len(x.frames) }

// PacketOf is the packet of frame n, as a position in Packets.
func (x *Index) PacketOf(n int) int { return int(x.frames[n]) }

// LastOf is the last packet of frame n: its only packet, or that of its second field.
func (x *Index) LastOf(n int) int {
	packet := x.PacketOf(n)
	if next := packet + 1; next < len(x.Packets) && x.Packets[next].Flags&Field != 0 {
		return next
	}
	return packet
}

// FrameOf is the frame that a packet gives, or gives a field of; false if it gives none.
func (x *Index) FrameOf(packet int) (n int, ok bool) {
	if x.Packets[packet].Flags&Field != 0 && packet > 0 {
		packet--
	}
	n, ok = x.FrameAt(x.Packets[packet].PTS)
	return n, ok && x.PacketOf(n) == packet
}

// Ticks is when frame n begins, in ticks.
func (x *Index) Ticks(n int) int64 { return x.Packets[x.frames[n]].PTS }

// FrameAt is the frame that begins at a time in ticks.
func (x *Index) FrameAt(ticks int64) (n int, ok bool) {
	return sort.Find(len(x.frames), func(n int) int { return cmp.Compare(ticks, x.Ticks(n)) })
}

// KeyBefore is the last key packet at or before a packet; false if there is none.
func (x *Index) KeyBefore(packet int) (key int, ok bool) {
	i := x.keyBefore(packet)
	if i < 0 {
		return 0, false
	}
	return int(x.keys[i]), true
}

// keyBefore is the position of that key packet in keys, -1 if there is none.
func (x *Index) keyBefore(packet int) int {
	i, found := slices.BinarySearch(x.keys, int32(packet))
	if found {
		return i
	}
	return i - 1
}

// Check returns ErrNoSuchFrame for a frame that does not exist.
func (x *Index) Check(n int) error {
	if n >= 0 && n < x.Len() {
		return nil
	}
	text := fmt.Sprintf("there is no frame %d: the video's frame count is %d", n, x.Len())
	if x.Stream.Cut {
		text += ", and its file breaks off after them"
	}
	return noSuchFrame(text)
}

func noSuchFrame(text string) error {
	return &spool.Error{Op: "decode", Class: spool.ErrNoSuchFrame, Text: text}
}
