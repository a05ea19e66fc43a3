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
	chain, err := av.NewBitstream(c, filters, p.Parameters)
	if err != nil {
		return nil, failure.Ended(ctx, err)
	}
	defer func() { _ = chain.Close() }() // always nil
	k := Collector{Stream: p.Table.Stream, Window: p.Range}
	parameters := chain.Parameters()
	k.Stream.Base = container.Ratio(parameters.TimeBase)
	k.Stream.Codec = parameters.Codec
	if k.Stream.Parameters, err = container.MarshalParameters(parameters); err != nil {
		return nil, err
	}
	if err := p.filter(c, chain, &k); err != nil {
		k.Release()
		return nil, failure.Ended(ctx, err)
	}
	// Filters may pass payloads through without a copy.
	return k.Done(p.Medium, parameters, p.lent.retain())
}

func (p *Packets) filter(c *call.Call, chain *av.Bitstream, k *Collector) error {
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
	for i := range len(p.list) + 1 {
		var next *av.Packet // nil at the end
		if i < len(p.list) {
			if err := packet.Share(p.list[i], k.Stream.Number, container.EntryOf(&p.Table.Packets[i])); err != nil {
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
