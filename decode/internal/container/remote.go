package container

import (
	"context"
	"errors"
	"strings"

	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/index"
	"github.com/spoolmedia/spool/internal/ranges"
)

// Remote is a remote object whose ranges are prefetched before they are read.
type Remote struct {
	*ranges.Reader
	ends       *Ends
	Tables     bool // ISO media whose tables describe all packets
	fragmented bool // ISO media in fragments, each with its own table
}

// Fetched counts what was read so far. It is zero for inputs that are not remote.
func (in *Input) Fetched() decode.Fetched {
	if !in.IsRemote() {
		return decode.Fetched{}
	}
	s := in.Remote.Stats()
	return decode.Fetched{Bytes: s.Bytes, Requests: s.Requests, Size: in.Info.Size}
}

// Close does nothing: the object is lent, and the input closes the reader.
func (d *Remote) Close() error { return nil }

// RemoteGap is the largest gap between packets that is requested with them. Demuxers read over such a gap rather than
// seek, and another request costs more.
const RemoteGap = 32 << 10

// RemoteSlack is the number of bytes that demuxers read after a packet in containers without packet tables: the header
// of the next packet.
const RemoteSlack = 1 << 10

// OpenTables opens a file that has packet tables (HasTables), only to read these.
func OpenTables(c *call.Call, in *Input) (*av.Input, error) {
	return in.Demuxer(c, av.InputOptions{NoProbe: true, Tables: true})
}

// FetchAll prefetches the whole object, for sequential reading.
func (d *Remote) FetchAll() { d.Expect([]ranges.Range{{Begin: 0, End: d.Size()}}) }

// Prepare prefetches what opening a video reads, as far as that is not in flight yet. Without tables and without an
// index that is the whole file. For a fragmented file with an index it is what lies between the packets: a demuxer
// reads the headers of all fragments, but not before its first seek. It waits for the ranges that fit in the buffer,
// since waiting in C keeps other calls from decoding.
func (d *Remote) Prepare(ctx context.Context, saved *index.Index) error {
	switch {
	case d == nil || d.Tables:
	case saved == nil:
		d.FetchAll()
		return d.Await(ctx, ranges.Range{Begin: 0, End: d.Size()})
	case d.fragmented:
		var list []ranges.Range
		end := int64(0)
		for i := range saved.Packets {
			p := &saved.Packets[i]
			list = append(list, ranges.Range{Begin: end, End: p.Pos}) // empty if they touch
			end = p.Pos + int64(p.Size)
		}
		list = append(list, ranges.Range{Begin: end, End: min(d.Size(), end+RemoteEnd)})
		d.Expect(ranges.Merge(list, RemoteGap/8))
	case strings.HasPrefix(saved.Stream.Format, "mpeg"): // probing reads both ends, for time stamps
		first, last := ranges.Range{End: remoteProbed}, ranges.Range{Begin: max(0, d.Size()-remoteProbed), End: d.Size()}
		d.Expect([]ranges.Range{first, last})
		return errors.Join(d.Await(ctx, first), d.Await(ctx, last))
	}
	return nil
}

// remoteProbed is what demuxers of MPEG streams read of both ends of a file when they open it: 250,000 bytes in FFmpeg,
// rounded up to blocks.
const remoteProbed = 320 << 10
