package decode

import (
	"context"
	"errors"
	"strings"

	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/decode/index"
	"github.com/spoolmedia/spool/internal/ranges"
)

// Fetched is what was read of a remote object.
type Fetched struct {
	Bytes, Requests int64 // that came, and the reads that brought them
	Size            int64 // of the input
}

// distant is a remote object whose parts are fetched before they are read.
type distant struct {
	*ranges.Reader
	ends       *farEnds
	tables     bool // ISO media of which all that there is to know of the packets lies elsewhere
	fragmented bool // ISO media in fragments, each with a table of its own
}

// fetched is what was read so far; all zero of what is not remote.
func (in *input) fetched() Fetched {
	if !in.isDistant() {
		return Fetched{}
	}
	s := in.far.Stats()
	return Fetched{Bytes: s.Bytes, Requests: s.Requests, Size: in.info.Size}
}

// Close does nothing: the object is lent, and the input closes the reader.
func (d *distant) Close() error { return nil }

// farGap is how many bytes between packets are read with them: demuxers do so rather than seek, and a request costs more.
const farGap = 32 << 10

// farSlack is what demuxers read behind a packet of containers that have no tables of them: the head of what comes next.
const farSlack = 1 << 10

// farOnward is how many packets are fetched behind those of a request that the next one is likely to follow.
const farOnward = 32

// expect begins to fetch the packets of runs, and those that follow the last of them, up to a number. What it gives is worth to be waited
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
	if len(merged) == 0 { // places are not known
		return ranges.Range{}
	}
	v.in.far.Expect(merged)
	return merged[0]
}

// await waits for what expect gave. Who waits in C instead keeps others from decoding.
func (v *Video) await(ctx context.Context, first ranges.Range) error {
	if !v.in.isDistant() {
		return nil
	}
	return v.in.far.Await(ctx, first)
}

// span is where the packets of a run lie.
func (v *Video) span(run index.Run) (list []ranges.Range) {
	exact := strings.HasPrefix(v.index.Stream.Format, "mov,")
	end := int64(-1) // of the packet before
	if run.First > 0 {
		end = v.index.Packets[run.First-1].Pos + int64(v.index.Packets[run.First-1].Size)
	}
	for i := run.First; i <= run.Last; i++ {
		p := &v.index.Packets[i]
		if p.Pos < 0 {
			continue
		}
		part := ranges.Range{Begin: p.Pos, End: p.Pos + int64(p.Size)}
		if !exact { // there is something around packets
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

// closed is how far is read until packet i is known to be whole: where the container does not say how long packets are, and codecs not where
// frames end, that shows when the next two have begun.
func (v *Video) closed(i int) int64 {
	next := min(i+2, len(v.index.Packets)-1)
	if p := &v.index.Packets[next]; v.unindexed() && p.Pos-v.index.Packets[i].Pos <= farEnd {
		return p.Pos
	}
	return 0
}

// readOn reports whether reading from packet at on is cheaper than a seek to packet to.
func (v *Video) readOn(at, to int) bool {
	x := v.index
	if !v.in.isDistant() || at == to {
		return x.ReadOn(at, to)
	}
	gap := x.Packets[to].Pos - x.Packets[at].Pos
	return x.ReadOn(at, to) && 0 <= gap && gap <= farGap
}

// tabled makes the index of what the container's tables say, and reads no packet for it. It is nil where only decoding tells which
// frames there are.
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

// openTables opens a file that has tables of its packets, for these only.
func openTables(c *call.Call, in *input) (*av.Input, error) {
	return in.demuxer(c, av.InputOptions{NoProbe: true, Tables: true})
}

// whole begins to fetch all of a file that is read from front to back.
func (d *distant) whole() { d.Expect([]ranges.Range{{Begin: 0, End: d.Size()}}) }

// prepare begins to fetch what a video is opened with, where it was not seen to already: all of a file that has no tables, and no
// index either. Of a fragmented one with an index that is what lies between the packets: a demuxer walks over all fragments, but not
// before it seeks. It waits for what there is room for, since who waits in C keeps others from decoding.
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
			list = append(list, ranges.Range{Begin: end, End: p.Pos}) // which is empty where they touch
			end = p.Pos + int64(p.Size)
		}
		list = append(list, ranges.Range{Begin: end, End: min(d.Size(), end+farEnd)})
		d.Expect(ranges.Merge(list, farGap/8))
	case strings.HasPrefix(saved.Stream.Format, "mpeg"): // what probing reads, for its times
		first, last := ranges.Range{End: farProbed}, ranges.Range{Begin: max(0, d.Size()-farProbed), End: d.Size()}
		d.Expect([]ranges.Range{first, last})
		return errors.Join(d.Await(ctx, first), d.Await(ctx, last))
	}
	return nil
}

// farProbed is what demuxers of MPEG's streams read of both ends of a file when they open it: FFmpeg's 250,000 bytes, and blocks of them.
const farProbed = 320 << 10

// Expect says which frames will be asked for: of a remote object their packets are fetched together, in place of those of each
// request when it comes. Of others it does nothing, nor where a frame is not there.
func (v *Video) Expect(ctx context.Context, frames []int) error {
	if !v.in.isDistant() || v.index == nil || v.input == nil {
		return nil
	}
	for _, n := range frames {
		if v.index.Check(n) != nil {
			return nil //nolint:nilerr // who asks for the frame is told
		}
	}
	return v.fault(ctx, v.await(ctx, v.expect(v.index.Plan(frames).Runs, 0)))
}

// Fetched is what was read of a remote object so far; all zero of others.
func (v *Video) Fetched() Fetched { return v.in.fetched() }

// farSound is how sound is read: ahead by a minute of what is compressed well.
var farSound = ranges.Options{Hold: 8 << 20, Ahead: 1 << 20}

// expect begins to fetch what a pass needs, where the file says where that lies, and waits for the beginning.
func (a *Audio) expect(ctx context.Context, p *soundPass) error {
	t, ok := a.track.(*wavTrack)
	if !a.in.isDistant() || !ok || p.begun || p.first >= p.last {
		return nil
	}
	from, to := p.span()
	if p.spec.Length > 0 && !p.parts && p.resampler == nil { // what is asked for, where the window has no end
		to = min(to, from+int64(p.spec.Length))
	}
	part := t.bytes(from, to)
	a.in.far.Expect([]ranges.Range{part})
	return a.in.far.Await(ctx, ranges.Range{Begin: part.Begin, End: min(part.End, part.Begin+blockBytes)})
}
