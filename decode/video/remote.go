package video

import (
	"context"
	"strings"

	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/index"
	"github.com/spoolmedia/spool/decode/internal/container"
	"github.com/spoolmedia/spool/internal/ranges"
)

// remoteAhead is how many packets are prefetched after those of a request that the next request is likely to continue.
const remoteAhead = 32

// expect prefetches the packets of runs, and up to following packets after the last run. It returns the range to wait
// for: the packets of the first run.
func (v *Video) expect(runs []index.Run, following int) ranges.Range {
	if !v.in.IsRemote() || len(runs) == 0 {
		return ranges.Range{}
	}
	var list []ranges.Range
	for i, run := range runs {
		if i == len(runs)-1 {
			run.Last = min(run.Last+following, len(v.index.Packets)-1)
		}
		list = append(list, v.span(run)...)
	}
	merged := ranges.Merge(list, container.RemoteGap)
	if len(merged) == 0 { // positions are unknown
		return ranges.Range{}
	}
	v.in.Remote.Expect(merged)
	return merged[0]
}

// await waits for the range that expect returned. Waiting in C instead would keep other calls from decoding.
func (v *Video) await(ctx context.Context, first ranges.Range) error {
	if !v.in.IsRemote() {
		return nil
	}
	return v.in.Remote.Await(ctx, first)
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
			if part.Begin-end <= container.RemoteGap && end >= 0 && end <= part.Begin {
				part.Begin = end
			}
			part.Begin, part.End = max(0, part.Begin-container.RemoteSlack), max(part.End, v.closed(i))+container.RemoteSlack
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
	if p := &v.index.Packets[next]; v.unindexed() && p.Pos-v.index.Packets[i].Pos <= container.RemoteEnd {
		return p.Pos
	}
	return 0
}

// readOn reports whether reading on from packet at is cheaper than a seek to packet to.
func (v *Video) readOn(at, to int) bool {
	x := v.index
	if !x.ReadOn(at, to) || !v.in.IsRemote() || at == to {
		return x.ReadOn(at, to)
	}
	gap := x.Packets[to].Pos - x.Packets[at].Pos
	return 0 <= gap && gap <= container.RemoteGap
}

// Expect announces the frames of later requests. For a remote object it prefetches their packets together, so that the
// requests need not fetch theirs one by one. It does nothing for other objects, nor if a frame does not exist.
func (v *Video) Expect(ctx context.Context, frames []int) error {
	if !v.in.IsRemote() || v.index == nil || v.isClosed() {
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
func (v *Video) Fetched() decode.Fetched { return v.in.Fetched() }
