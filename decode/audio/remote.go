package audio

import (
	"context"

	"github.com/spoolmedia/spool/internal/ranges"
)

// remoteRanges is the prefetch of audio: the read-ahead is about a minute of well compressed audio.
func (d *Decoder) remoteRanges() ranges.Options {
	return ranges.Options{Store: d.ranges, Hold: 8 << 20, Ahead: 1 << 20}
}

// expect prefetches what a pass needs, if the file gives its position, and waits for its beginning.
func (a *Audio) expect(ctx context.Context, p *pass) error {
	t, ok := a.track.(*wavTrack)
	if !a.in.IsRemote() || !ok || p.begun || p.first >= p.last {
		return nil
	}
	from, to := p.span()
	if p.spec.Length > 0 && !p.parts && p.resampler == nil { // of an unbounded window, only Length is requested
		to = min(to, from+int64(p.spec.Length))
	}
	part := t.bytes(from, to)
	a.in.Remote.Expect([]ranges.Range{part})
	return a.in.Remote.Await(ctx, ranges.Range{Begin: part.Begin, End: min(part.End, part.Begin+blockBytes)})
}
