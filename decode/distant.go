package decode

import (
	"context"
	"errors"
	"strings"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/decode/index"
	"github.com/spoolmedia/spool/internal/ranges"
)

// Fetched counts what was read of a remote object.
type Fetched struct {
	Bytes, Requests int64 // received, and the requests for them
	Size            int64 // of the object
}

// distant is a remote object whose ranges are prefetched before they are read.
type distant struct {
	*ranges.Reader
	ends       *farEnds
	tables     bool // ISO media whose tables describe all packets
	fragmented bool // ISO media in fragments, each with its own table
}

// fetched counts what was read so far. It is zero for inputs that are not remote.
func (in *input) fetched() Fetched {
	if !in.isDistant() {
		return Fetched{}
	}
	s := in.far.Stats()
	return Fetched{Bytes: s.Bytes, Requests: s.Requests, Size: in.info.Size}
}

// Close does nothing: the object is lent, and the input closes the reader.
func (d *distant) Close() error { return nil }

// farGap is the largest gap between packets that is requested with them. Demuxers read over such a gap rather than
// seek, and another request costs more.
const farGap = 32 << 10

// farSlack is how much demuxers read after a packet in containers without packet tables: the header of what follows.
const farSlack = 1 << 10

// farOnward is how many packets are prefetched after those of a request that the next request is likely to continue.
const farOnward = 32

// expect prefetches the packets of runs, and up to following packets after the last run. It returns the range to wait
// for: the packets of the first run.
func (v *Video) expect(runs []index.Run, following int) ranges.Range {
	if !v.in.isDistant() || len(runs) == 0 {
		return ranges.Range{}
	}
	var list []ranges.Range
	for i, run := range runs {
		if i == len(runs)-1 {
			run.Last = min(run.Last+following, len(v.index.Packets)-1)
		}
		list = append(list, v.span(run)...)
	}
	merged := ranges.Merge(list, farGap)
	if len(merged) == 0 { // positions are unknown
		return ranges.Range{}
	}
	v.in.far.Expect(merged)
	return merged[0]
}

// await waits for the range that expect returned. Waiting in C instead would keep other calls from decoding.
func (v *Video) await(ctx context.Context, first ranges.Range) error {
	if !v.in.isDistant() {
		return nil
	}
	return v.in.far.Await(ctx, first)
}

// span returns the ranges that hold the packets of a run.
func (v *Video) span(run index.Run) (list []ranges.Range) {
	exact := strings.HasPrefix(v.index.Stream.Format, "mov,")
	end := int64(-1) // of the previous packet
	if run.First > 0 {
		end = v.index.Packets[run.First-1].Pos + int64(v.index.Packets[run.First-1].Size)
	}
	for i := run.First; i <= run.Last; i++ {
		p := &v.index.Packets[i]
		if p.Pos < 0 {
			continue
		}
		part := ranges.Range{Begin: p.Pos, End: p.Pos + int64(p.Size)}
		if !exact { // packets have headers around them
			if part.Begin-end <= farGap && end >= 0 && end <= part.Begin {
				part.Begin = end
			}
			part.Begin, part.End = max(0, part.Begin-farSlack), max(part.End, v.closed(i))+farSlack
		}
		list = append(list, part)
		end = p.Pos + int64(p.Size)
	}
	return list
}

// closed is the offset up to which is read before packet i is known to be complete. If neither the container gives the
// length of packets nor the codec the end of frames, that is known when the next two have begun.
func (v *Video) closed(i int) int64 {
	next := min(i+2, len(v.index.Packets)-1)
	if p := &v.index.Packets[next]; v.unindexed() && p.Pos-v.index.Packets[i].Pos <= farEnd {
		return p.Pos
	}
	return 0
}

// readOn reports whether reading on from packet at is cheaper than a seek to packet to.
func (v *Video) readOn(at, to int) bool {
	x := v.index
	if !v.in.isDistant() || at == to {
		return x.ReadOn(at, to)
	}
	gap := x.Packets[to].Pos - x.Packets[at].Pos
	return x.ReadOn(at, to) && 0 <= gap && gap <= farGap
}

// tabled makes the index from the container's tables, without reading packets. It returns nil if only decoding tells
// which frames exist.
func (v *Video) tabled(c *call.Call, in *input, file index.File, s index.Stream) (*index.Index, error) {
	tables, err := openTables(c, in)
	if err != nil {
		return nil, err
	}
	defer func() { _ = tables.Close() }() // always nil
	entries, err := tables.Scan(c, s.Number)
	if err != nil && (c.Err() != nil || len(entries) == 0) {
		return nil, err
	}
	packets := packetsOf(entries)
	if needsDecoding(s.Codec, packets) {
		return nil, nil
	}
	s.Cut = breaksOff(packets, err)
	return index.New(file, s, packets)
}

// openTables opens a file that has packet tables, only to read these.
func openTables(c *call.Call, in *input) (*av.Input, error) {
	return in.demuxer(c, av.InputOptions{NoProbe: true, Tables: true})
}

// whole prefetches the whole object, for sequential reading.
func (d *distant) whole() { d.Expect([]ranges.Range{{Begin: 0, End: d.Size()}}) }

// prepare prefetches what opening a video reads, as far as that is not in flight yet. Without tables and without an
// index that is the whole file. For a fragmented file with an index it is what lies between the packets: a demuxer
// reads the headers of all fragments, but not before its first seek. It waits for the ranges that fit in the buffer,
// since waiting in C keeps other calls from decoding.
func (d *distant) prepare(ctx context.Context, saved *index.Index) error {
	switch {
	case d == nil || d.tables:
	case saved == nil:
		d.whole()
		return d.Await(ctx, ranges.Range{Begin: 0, End: d.Size()})
	case d.fragmented:
		var list []ranges.Range
		end := int64(0)
		for i := range saved.Packets {
			p := &saved.Packets[i]
			list = append(list, ranges.Range{Begin: end, End: p.Pos}) // empty if they touch
			end = p.Pos + int64(p.Size)
		}
		list = append(list, ranges.Range{Begin: end, End: min(d.Size(), end+farEnd)})
		d.Expect(ranges.Merge(list, farGap/8))
	case strings.HasPrefix(saved.Stream.Format, "mpeg"): // probing reads both ends, for time stamps
		first, last := ranges.Range{End: farProbed}, ranges.Range{Begin: max(0, d.Size()-farProbed), End: d.Size()}
		d.Expect([]ranges.Range{first, last})
		return errors.Join(d.Await(ctx, first), d.Await(ctx, last))
	}
	return nil
}

// farProbed is what demuxers of MPEG streams read of both ends of a file when they open it: 250,000 bytes in FFmpeg,
// rounded up to blocks.
const farProbed = 320 << 10

// Expect announces the frames of later requests. For a remote object it prefetches their packets together, so that the
// requests need not fetch theirs one by one. It does nothing for other objects, nor if a frame does not exist.
func (v *Video) Expect(ctx context.Context, frames []int) error {
	if !v.in.isDistant() || v.index == nil || v.input == nil {
		return nil
	}
	for _, n := range frames {
		if v.index.Check(n) != nil {
			return nil //nolint:nilerr // the request for the frame reports it
		}
	}
	return v.fault(ctx, v.await(ctx, v.expect(v.index.Plan(frames).Runs, 0)))
}

// Fetched reports what was read of a remote object so far. For other inputs it is zero.
func (v *Video) Fetched() Fetched { return v.in.fetched() }

// rangeMemory is the memory for ranges of all remote inputs of a decoder that have none of their own. keptRanges limits
// what is kept for the next ranges.
const (
	rangeMemory = 1 << 30
	keptRanges  = 64 << 20
)

func newRangePool() (*spool.Pool, error) {
	return spool.NewPool(spool.PoolOptions{MaxBytes: rangeMemory, MaxKept: keptRanges})
}

// rangesOf is the prefetch of a video, in the memory of a pool or, if that is nil, of the decoder.
func (d *Decoder) rangesOf(memory *spool.Pool) ranges.Options {
	if memory != nil {
		return ranges.Options{Store: ranges.NewStore(memory)}
	}
	return ranges.Options{Store: d.ranges}
}

// farSound is the prefetch of audio: the read-ahead is about a minute of well compressed audio.
func (d *Decoder) farSound() ranges.Options {
	return ranges.Options{Store: d.ranges, Hold: 8 << 20, Ahead: 1 << 20}
}

// expect prefetches what a pass needs, if the file gives its position, and waits for its beginning.
func (a *Audio) expect(ctx context.Context, p *soundPass) error {
	t, ok := a.track.(*wavTrack)
	if !a.in.isDistant() || !ok || p.begun || p.first >= p.last {
		return nil
	}
	from, to := p.span()
	if p.spec.Length > 0 && !p.parts && p.resampler == nil { // of an unbounded window, only Length is requested
		to = min(to, from+int64(p.spec.Length))
	}
	part := t.bytes(from, to)
	a.in.far.Expect([]ranges.Range{part})
	return a.in.far.Await(ctx, ranges.Range{Begin: part.Begin, End: min(part.End, part.Begin+blockBytes)})
}
