package image

import (
	"context"

	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/icc"
)

// convert puts a conversion from the image's color profile in front of the sink of r, for rows of width pixels.
func (p plan) convert(ctx context.Context, r rows, width int) (*icc.Sink, error) {
	c, err := call.Enter(ctx, 1)
	if err != nil {
		return nil, err
	}
	defer c.Leave()
	o := icc.Options{Color: icc.RGB, Channels: r.channels, Width: width, Bits: r.bits}
	switch {
	case p.info.Channels <= 2:
		o.Color = icc.Gray
	case p.info.inks:
		o.Color, o.Channels = icc.CMYK, 4
	}
	return p.decoder.colors.NewSink(c, r.sink.Pointer(), p.info.icc, o)
}
