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
