package video

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/decode/index"
	"github.com/spoolmedia/spool/decode/packets"
	"github.com/spoolmedia/spool/internal/kept"
)

// Packets returns the packets that are needed to decode the frames that begin in [start, end), in seconds, from a key
// packet on. See index.Index.Window for which frames these are. A window from -Inf to +Inf is the whole video.
//
//	Ownership: the caller owns the packets and MUST release them; they may outlive the video.
//	Errors:    ErrOptions for a window that ends before it starts; ErrUnsupported for an input that is a stream;
//	           ErrClosed; errors of reading.
//	Cost:      reading the window; no payload is copied.
func (v *Video) Packets(ctx context.Context, start, end float64) (*packets.Packets, error) {
	switch {
	case v.away != nil:
		return nil, v.fault(ctx, errAway)
	case v.isClosed():
		return nil, fmt.Errorf("decode: video: %w", spool.ErrClosed)
	case !(start <= end):
		return nil, fmt.Errorf("%w: a window from %v to %v", spool.ErrOptions, start, end)
	case v.index == nil:
		return nil, &spool.Error{Op: "decode", File: v.name, Class: spool.ErrUnsupported,
			Text: "packets of a stream cannot be selected by time"}
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
	c, err := v.enterAlone(ctx, 0)
	if err != nil {
		return nil, v.fault(ctx, err)
	}
	defer c.Leave()
	defer v.session.lose() // the decoder has not seen the packets read here
	k := kept.Collector{Stream: v.index.Stream, Window: kept.Window{Start: start, End: end}}
	for _, run := range runs {
		if err := v.session.keep(c, run, shown, &k); err != nil {
			k.Release()
			return nil, v.fault(ctx, err)
		}
	}
	p := new(packets.Packets)
	if err := k.Fill(kept.Of(p), av.Video, v.parameters, nil); err != nil {
		return nil, v.fault(ctx, err)
	}
	return p, nil
}

// keep keeps the packets of a run.
func (p *session) keep(c *call.Call, run index.Run, shown map[int]bool, k *kept.Collector) error {
	if err := p.goTo(c, run.First); err != nil {
		return err
	}
	for p.at <= run.Last {
		n, err := p.read(c)
		if errors.Is(err, io.EOF) {
			return &spool.Error{Op: "decode", Class: spool.ErrTruncated, Text: "the file is shorter than its index"}
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
		if err := k.Add(p.packet, packet); err != nil {
			return err
		}
	}
	return nil
}

// OpenPackets opens video packets as a video: the frames of the window, counted from 0, with the times that they have
// in the file. Only the options Threads, Codec and CodecOptions apply.
//
//	Ownership: the caller owns the video and MUST close it before the decoder. The packets may be released earlier.
//	Errors:    ErrOptions for packets of another medium; ErrEmpty for a window without a frame; those of Open.
//	Cost:      that of a clone: about 100 ns a packet.
func (d *Decoder) OpenPackets(ctx context.Context, p *packets.Packets, o OpenOptions) (*Video, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	from := kept.Of(p)
	if from.Kind != av.Video {
		return nil, fmt.Errorf("%w: packets of %v as a video", spool.ErrOptions, from.Kind)
	}
	if p.Len() == 0 {
		return nil, &spool.Error{Op: "decode", Class: spool.ErrEmpty, Text: "no frame begins in the window of the packets"}
	}
	clone := new(kept.Packets)
	if err := from.Clone(clone); err != nil {
		return nil, err
	}
	v := &Video{decoder: d, options: o, input: &kept.Reader{Packets: clone}, parameters: from.Parameters}
	v.describe(&from.Table.Stream)
	err := errors.Join(v.session.open(v), v.withinLimits(), v.setIndex(from.Table))
	if err != nil {
		return nil, v.fault(ctx, errors.Join(err, v.Close()))
	}
	return v, nil
}
