package index

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/spoolmedia/spool"
)

// NoPTS is the time of a packet that has none.
const NoPTS = math.MinInt64

// Flags say what a packet is.
type Flags uint8

const (
	Key        Flags = 1 << iota // a decoder may begin with it
	Discard                      // decoded, but not shown: before or after an edit list's cut
	Hidden                       // gives no frame
	Field                        // the second field of the frame that the packet before begins
	Damaged                      // the demuxer says so
	Disposable                   // no other packet's frame is predicted from its own, by its own header
)

// Packet is a packet of the stream. Times are in ticks of the stream's time base.
type Packet struct {
	PTS, DTS int64 // NoPTS where the container has none
	Duration int64 // 0 where it is not known
	Pos      int64 // in the file, -1 where the container cannot tell
	Size     int32
	Flags    Flags
}

// Ratio is a fraction. Both parts are 0 where it is unknown.
type Ratio struct{ Num, Den int32 }

// Stream says what the packets are of.
type Stream struct {
	Format        string // of the file, as its reader calls it
	Number        int    // in the file
	Best          bool   // what is taken when nobody chooses
	Codec         string
	Width, Height int // as stored
	PixelFormat   string
	Rotation      float64 // degrees counter-clockwise to turn frames for display
	Mirrored      bool    // vertically, before they are turned
	Base          Ratio   // seconds of a tick
	Rate          Ratio   // average frames a second
	Parameters    []byte  // what a decoder is opened with, for the package that wrote it

	// Cut says that the file breaks off in the midst of a packet.
	Cut bool

	// Numbered says that the file does not have all times: PTS is that of the frame that the packet gave when the stream
	// was decoded once (see Number). Packets are to be given it before they are decoded.
	Numbered bool
}

// File tells a file from others, and from what it was before a change.
type File struct {
	Size    int64  // in bytes
	Version string // time of the last change, an ETag, a digest
}

// Index is the table.
type Index struct {
	File    File
	Stream  Stream
	Packets []Packet // in the order of decoding

	frames []int32 // of frame n its packet
	keys   []int32 // packets with Key
}

// New makes the index of packets, which it keeps.
//
//	Errors: spool.ErrOptions for a time base that is no positive fraction, or more than 2^31-1 packets.
//	Cost:   sorts the frames; 4 bytes for each beside the packets.
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
	orphan := func(packet int32) int { // before the first key packet: what else has its time is rather to be had
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

// Number makes the index of a stream whose packets have no times, or too few. order are the packets of its frames as a
// decoder gave them, by their places in packets. Times that there are count where they grow; those between are spread
// evenly, and others follow by the first packet's duration, one tick where it has none, from 0 if there are none at all.
func Number(file File, stream Stream, packets []Packet, order []int) (*Index, error) {
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

// spread fills in the times that are missing, so that all grow.
func spread(times []int64, duration int64) {
	known := -1 // the last that there is
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

// Timed reports whether the packets have the times that New needs: all that are shown, or hardly any without.
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

// timedShare is which part of a stream's frames may lack a time, as damaged packets do, and be left out for it.
const timedShare = 16

// Len is the number of frames.
func (x *Index) Len() int { return len(x.frames) }

// PacketOf is the packet of frame n, by its place in Packets.
func (x *Index) PacketOf(n int) int { return int(x.frames[n]) }

// LastOf is the last packet of frame n: its own, or that of the second field.
func (x *Index) LastOf(n int) int {
	packet := x.PacketOf(n)
	if next := packet + 1; next < len(x.Packets) && x.Packets[next].Flags&Field != 0 {
		return next
	}
	return packet
}

// FrameOf is the frame that a packet gives, or gives a field of; false where it gives none.
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

// KeyBefore is the last key packet at or before a packet; false when there is none.
func (x *Index) KeyBefore(packet int) (key int, ok bool) {
	i := x.keyBefore(packet)
	if i < 0 {
		return 0, false
	}
	return int(x.keys[i]), true
}

// keyBefore is the place of that key packet in keys, -1 when there is none.
func (x *Index) keyBefore(packet int) int {
	i, found := slices.BinarySearch(x.keys, int32(packet))
	if found {
		return i
	}
	return i - 1
}

// Check reports as ErrNoSuchFrame a frame that there is not.
func (x *Index) Check(n int) error {
	if n >= 0 && n < x.Len() {
		return nil
	}
	text := fmt.Sprintf("there is no frame %d: the video has %d", n, x.Len())
	if x.Stream.Cut {
		text += ", and its file breaks off after them"
	}
	return noSuchFrame(text)
}

func noSuchFrame(text string) error {
	return &spool.Error{Op: "decode", Class: spool.ErrNoSuchFrame, Text: text}
}
