package decode

import (
	"context"
	"fmt"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/decode/index"
)

// Filter changes packets without decoding them, by FFmpeg's bitstream filters: "h264_mp4toannexb" gives H.264 the start codes that
// hardware decoders and raw files want, "a,b=option=value" is a chain. The result has packets and parameters of its own; p stays as it is.
//
//	Ownership: the caller owns the result and MUST release it.
//	Errors:    ErrOptions for filters or options that this FFmpeg does not have; ErrUnsupported for filters that are not
//	           for the codec; ErrCorrupt for packets that they do not understand; ErrCanceled and ErrTimeout.
func (p *Packets) Filter(ctx context.Context, filters string) (*Packets, error) {
	if filters == "" {
		return nil, fmt.Errorf("%w: no bitstream filter", spool.ErrOptions)
	}
	c, err := call.Enter(ctx, 1)
	if err != nil {
		return nil, ended(ctx, err)
	}
	defer c.Leave()
	chain, err := av.NewBitstream(c, filters, p.parameters)
	if err != nil {
		return nil, ended(ctx, err)
	}
	defer func() { _ = chain.Close() }() // always nil
	k := keeper{stream: p.index.Stream, window: p.window}
	parameters := chain.Parameters()
	k.stream.Base = ratio(parameters.TimeBase)
	k.stream.Codec = parameters.Codec
	if k.stream.Parameters, err = marshalParameters(parameters); err != nil {
		return nil, err
	}
	if err := p.filter(c, chain, &k); err != nil {
		k.release()
		return nil, ended(ctx, err)
	}
	// Filters may pass payloads on as they are.
	return k.done(p.kind, parameters, p.lent.retain())
}

func (p *Packets) filter(c *call.Call, chain *av.Bitstream, k *keeper) error {
	packet, err := av.NewPacket()
	if err != nil {
		return err
	}
	defer packet.Release()
	outside := map[int64]bool{} // times of what lies outside of the window
	for i := range p.index.Packets {
		x := &p.index.Packets[i]
		outside[x.PTS] = x.Flags&index.Discard != 0
	}
	for i := range len(p.list) + 1 {
		var next *av.Packet // nil at the end
		if i < len(p.list) {
			if err := packet.Share(p.list[i], k.stream.Number, entryOf(&p.index.Packets[i])); err != nil {
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
			x := index.Packet{PTS: e.PTS, DTS: e.DTS, Duration: e.Duration, Size: e.Size, Flags: flagsOf(e)}
			if outside[e.PTS] {
				x.Flags |= index.Discard
			}
			if err := k.add(packet, x); err != nil {
				return err
			}
		}
	}
	return nil
}
