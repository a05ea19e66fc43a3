package packets

import (
	"context"
	"fmt"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/decode/index"
	"github.com/spoolmedia/spool/decode/internal/container"
	"github.com/spoolmedia/spool/decode/internal/failure"
	"github.com/spoolmedia/spool/internal/kept"
)

// Filter applies FFmpeg's bitstream filters, which change packets without decoding them. "h264_mp4toannexb" converts
// H.264 to start codes for hardware decoders and raw files; "a,b=option=value" is a chain. The result has its own
// packets and parameters; p does not change.
//
//	Ownership: the caller owns the result and MUST release it.
//	Errors:    ErrOptions for filters or options that this FFmpeg does not have; ErrUnsupported for filters that do not
//	           support the codec; ErrCorrupt for packets that they cannot parse; ErrCanceled and ErrTimeout.
func (p *Packets) Filter(ctx context.Context, filters string) (*Packets, error) {
	if filters == "" {
		return nil, fmt.Errorf("%w: no bitstream filter", spool.ErrOptions)
	}
	c, err := call.Enter(ctx, 1)
	if err != nil {
		return nil, failure.Ended(ctx, err)
	}
	defer c.Leave()
	from := kept.Of(p)
	chain, err := av.NewBitstream(c, filters, from.Parameters)
	if err != nil {
		return nil, failure.Ended(ctx, err)
	}
	defer func() { _ = chain.Close() }() // always nil
	k := kept.Collector{Stream: from.Table.Stream, Window: from.Window}
	parameters := chain.Parameters()
	k.Stream.Base = container.Ratio(parameters.TimeBase)
	k.Stream.Codec = parameters.Codec
	if k.Stream.Parameters, err = container.MarshalParameters(parameters); err != nil {
		return nil, err
	}
	if err := filter(c, chain, from, &k); err != nil {
		k.Release()
		return nil, failure.Ended(ctx, err)
	}
	// Filters may pass payloads through without a copy.
	filtered := new(Packets)
	if err := k.Fill(kept.Of(filtered), from.Kind, parameters, from.Memory.Retain()); err != nil {
		return nil, err
	}
	return filtered, nil
}

// filter collects the packets that the chain makes.
func filter(c *call.Call, chain *av.Bitstream, p *kept.Packets, k *kept.Collector) error {
	packet, err := av.NewPacket()
	if err != nil {
		return err
	}
	defer packet.Release()
	outside := map[int64]bool{} // PTS of a packet: whether it is outside of the window
	for i := range p.Table.Packets {
		x := &p.Table.Packets[i]
		outside[x.PTS] = x.Flags&index.Discard != 0
	}
	for i := range len(p.List) + 1 {
		var next *av.Packet // nil at the end
		if i < len(p.List) {
			if err := p.Share(i, packet); err != nil {
				return err
			}
			next = packet
		}
		if err := chain.Send(c, next); err != nil {
			return err
		}
		for {
			ok, err := chain.Receive(c, packet)
			if err != nil {
				return err
			}
			if !ok {
				break
			}
			e := packet.Entry()
			x := index.Packet{PTS: e.PTS, DTS: e.DTS, Duration: e.Duration, Size: e.Size, Flags: container.FlagsOf(e)}
			if outside[e.PTS] {
				x.Flags |= index.Discard
			}
			if err := k.Add(packet, x); err != nil {
				return err
			}
		}
	}
	return nil
}
