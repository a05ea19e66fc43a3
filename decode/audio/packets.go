package audio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/decode/index"
	"github.com/spoolmedia/spool/decode/internal/container"
	"github.com/spoolmedia/spool/decode/internal/contents"
	"github.com/spoolmedia/spool/decode/internal/failure"
	"github.com/spoolmedia/spool/decode/packets"
	"github.com/spoolmedia/spool/internal/kept"
)

// Packets returns the packets that are needed to decode the audio in [start, end), in seconds of the container's
// clock, which need not begin at 0. A window from -Inf to +Inf is the whole stream. Package graph decodes the packets
// and trims the window to exact samples. Only the options Stream and Language apply.
//
//	Ownership: the caller owns the packets and MUST release them; the object is lent for the call.
//	Errors:    ErrOptions for a window that ends before it starts; those of Open.
//	Cost:      reading the window; reading from the front where the container cannot seek to its start.
func (d *Decoder) Packets(ctx context.Context, object spool.Object, o OpenOptions, start,
	end float64) (*packets.Packets, error) {
	problems := []error{o.Validate()}
	if !(start <= end) {
		problems = append(problems, fmt.Errorf("%w: a window from %v to %v", spool.ErrOptions, start, end))
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	in, err := container.Open(ctx, object, d.remoteRanges(), &d.ends)
	if err != nil {
		return nil, spool.InFile(failure.Ended(ctx, err), contents.NameOf(object))
	}
	defer in.Close()
	p, err := audioPackets(ctx, in, o, kept.Window{Start: start, End: end})
	return p, spool.InFile(failure.Ended(ctx, err), in.Info.Name)
}

func audioPackets(ctx context.Context, in *container.Input, o OpenOptions, w kept.Window) (*packets.Packets, error) {
	c, err := call.Enter(ctx, 1)
	if err != nil {
		return nil, err
	}
	defer c.Leave()
	input, err := in.Demuxer(c, av.InputOptions{})
	if err != nil {
		return nil, err
	}
	defer func() { _ = input.Close() }() // always nil
	m := input.Media()
	s, err := container.ChooseAudio(&m, o.Stream, o.Language)
	if err != nil {
		return nil, err
	}
	input.Select(s.Index)
	parameters, err := input.Parameters(s.Index)
	if err != nil {
		return nil, err
	}
	k := kept.Collector{Window: w,
		Stream: index.Stream{Number: s.Index, Best: s.Best, Codec: s.Codec, Base: container.Ratio(s.TimeBase)}}
	if k.Stream.Parameters, err = container.MarshalParameters(parameters); err != nil {
		return nil, err
	}
	if err := keepAudio(c, input, &k); err != nil {
		k.Release()
		return nil, err
	}
	p := new(packets.Packets)
	if err := k.Fill(kept.Of(p), av.Audio, parameters, nil); err != nil {
		return nil, err
	}
	return p, nil
}

// runUps are the seconds before a window at which reading begins. Codecs need the first to build up their state; the
// second is for a seek that went too far. The last begins at the front.
var runUps = [...]float64{0.5, 5, math.Inf(1)}

// keepAudio keeps the packets of the window, and the packets before it that a decoder needs.
func keepAudio(c *call.Call, input *av.Input, k *kept.Collector) error {
	packet, err := av.NewPacket()
	if err != nil {
		return err
	}
	defer packet.Release()
	seconds := func(ticks int64) float64 {
		return float64(ticks) * float64(k.Stream.Base.Num) / float64(k.Stream.Base.Den)
	}
	for _, up := range runUps {
		from := k.Window.Start - up
		switch ticks := from * float64(k.Stream.Base.Den) / float64(k.Stream.Base.Num); {
		case ticks > 0 && ticks < math.MaxInt64:
			if input.Seek(c, k.Stream.Number, int64(ticks)) != nil {
				continue
			}
		case up != runUps[0]: // the first attempt begins at the front already
			if err := errors.Join(input.Seek(c, k.Stream.Number, 0)); err != nil && input.SeekByte(c, 0) != nil {
				return err
			}
		}
		err := input.Read(c, packet)
		if e := packet.Entry(); err == nil && e.PTS != av.NoPTS && seconds(e.PTS) > from && from > 0 && !math.IsInf(up, 1) &&
			seconds(e.PTS) > k.Window.Start-up/2 {
			continue
		}
		for ; err == nil; err = input.Read(c, packet) {
			e := packet.Entry()
			if e.PTS != av.NoPTS && seconds(e.PTS) >= k.Window.End {
				return nil
			}
			x := index.Packet{PTS: e.PTS, DTS: e.DTS, Duration: e.Duration, Size: e.Size, Flags: container.FlagsOf(e)}
			if e.PTS != av.NoPTS && seconds(e.PTS+e.Duration) <= k.Window.Start {
				x.Flags |= index.Discard
			}
			if err := k.Add(packet, x); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		return err
	}
	return nil
}
