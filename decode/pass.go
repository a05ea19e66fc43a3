package decode

import (
	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/resize"
)

// pass is the kernels' plan from the decoder's rows to the result. They make one pass over the rows, with any
// orientation, blending and resize.
func (p picture) pass(in intake) kernel.Plan {
	g, s := p.geometry, p.spec
	return kernel.Plan{
		Width: p.info.Width, Height: p.info.Height, Channels: in.channels, Bits: in.bits,
		Intake: in.alpha, Background: [3]uint8{s.Over.R, s.Over.G, s.Over.B}, Gray: in.gray,
		Premultiply: g.Premultiply && in.channels == 4 && in.alpha == kernel.AsIs && s.Resize.Bits != 16,
		Orientation: p.info.Orientation,
		Left:        g.Left, Right: g.Right, Top: g.Top, H: axis(g.Horizontal), V: axis(g.Vertical),
		VerticalFirst: g.VerticalFirst,
		CanvasWidth:   g.OutWidth, CanvasHeight: g.OutHeight, X: g.X, Y: g.Y,
		Pad:   [4]uint8{s.Resize.PadColor[0], s.Resize.PadColor[1], s.Resize.PadColor[2], 0},
		FlipX: g.FlipX, FlipY: g.FlipY,
		OutChannels: s.Color.Channels(), Swap: s.Color == BGR,
		DType: s.DType, Layout: p.desc.Layout, Mean: s.Mean, Std: s.Std,
	}
}

func axis(a *resize.Axis) kernel.Axis { return kernel.Axis(*a) }

// withSink runs fill with a sink and always closes it: memory that the sink pins must not leak in a panic.
func withSink(plan *kernel.Plan, dst, scratch []byte, fill func(*kernel.Sink) error) error {
	sink, err := kernel.NewSink(plan, dst, scratch)
	if err != nil {
		return err
	}
	defer sink.Close()
	return fill(sink)
}
