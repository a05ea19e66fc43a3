package decode

import (
	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/resize"
)

// step is one pass of a kernel over the picture. Nearly always there is one, from the decoder's rows
// to the result. Steps before the last hold a whole picture in scratch memory.
type step struct {
	plan kernel.Plan
	turn int // as which EXIF orientation the result of the step before is pushed into this one
}

// bytes is the size of the step's result, 8 bits a channel unless it is the last one.
func (s *step) bytes() int {
	p := &s.plan
	return p.CanvasWidth * p.CanvasHeight * p.OutChannels * p.DType.Size()
}

// scratch is the memory that the step takes, its result included.
func (s *step) scratch() int { return aligned(s.bytes()) + aligned(s.plan.ScratchBytes()) }

// aligned rounds up to a cache line.
func aligned(n int) int { return (n + 63) &^ 63 }

// steps plans the way of the picture.
//
// A turned picture has to be whole before its first row is known; so has one that is first blended
// and then made gray, because a pass does one of these. Where Pillow resizes vertically first
// (resize.Plan.VerticalFirst) each direction is a pass of its own.
func (p picture) steps() []step {
	in := p.lane.intake(p.info, p.spec)
	last := p.last(in)
	var steps []step
	turn := 1
	if p.info.Orientation > 1 || in.alpha != kernel.AsIs && in.gray {
		w, h := p.info.Width, p.info.Height
		stored := whole(w, h, in.channels, in.left())
		stored.Intake, stored.Background = in.alpha, last.Background
		steps = append(steps, step{plan: stored})
		last.Channels, last.Intake, turn = in.left(), kernel.AsIs, p.info.Orientation
		if in.gray {
			last.Intake = kernel.Gray
		}
	}
	if p.geometry.VerticalFirst {
		vertical := last
		w, h, channels := last.Right-last.Left, last.V.Out, in.left()
		if in.gray {
			channels = 1
		}
		vertical.H = kernel.Axis{In: w, Out: w}
		vertical.CanvasWidth, vertical.CanvasHeight, vertical.X, vertical.Y = w, h, 0, 0
		vertical.OutChannels, vertical.Swap, vertical.DType, vertical.Layout, vertical.Mean, vertical.Std = channels, false, spool.Uint8, spool.HWC, nil, nil
		steps = append(steps, step{vertical, turn})
		last.Width, last.Height, last.Channels, last.Intake = w, h, channels, kernel.AsIs
		last.Left, last.Right, last.Top, last.V = 0, w, 0, kernel.Axis{In: h, Out: h}
		turn = 1
	}
	return append(steps, step{last, turn})
}

// whole is a plan that keeps all rows of a picture as they are.
func whole(w, h, channels, out int) kernel.Plan {
	return kernel.Plan{Width: w, Height: h, Channels: channels, Right: w,
		H: kernel.Axis{In: w, Out: w}, V: kernel.Axis{In: h, Out: h},
		CanvasWidth: w, CanvasHeight: h, OutChannels: out, Layout: spool.HWC}
}

// last is the plan from upright rows to the result.
func (p picture) last(in intake) kernel.Plan {
	g, s := p.geometry, p.spec
	width, height := p.info.Oriented()
	plan := kernel.Plan{
		Width: width, Height: height, Channels: in.channels, Intake: in.alpha,
		Background: [3]uint8{s.Over.R, s.Over.G, s.Over.B},
		Left:       g.Left, Right: g.Right, Top: g.Top, H: axis(g.Horizontal), V: axis(g.Vertical),
		CanvasWidth: g.OutWidth, CanvasHeight: g.OutHeight, X: g.X, Y: g.Y,
		Pad:         [4]uint8{s.Resize.PadColor[0], s.Resize.PadColor[1], s.Resize.PadColor[2], 0},
		OutChannels: s.Color.Channels(), Swap: s.Color == BGR,
		DType: s.DType, Layout: p.desc.Layout, Mean: s.Mean, Std: s.Std,
	}
	if in.gray && in.alpha == kernel.AsIs {
		plan.Intake = kernel.Gray
	}
	return plan
}

func axis(a *resize.Axis) kernel.Axis { return kernel.Axis(*a) }
