package decode

import (
	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/resize"
)

// intake describes the samples that a lane pushes, and their first conversion.
type intake struct {
	channels int           // 1, 3 or 4
	bits     int           // 8 or 16; 0 means 8
	alpha    kernel.Intake // AsIs, DropAlpha or Blend
	gray     bool          // converted to luma after that
}

// target is the result of one image or frame, and the geometry that leads to it.
type target struct {
	spec        pixelSpec
	width       int // of the rows
	height      int
	bits        int // of a sample: 8 or 16
	orientation int // of the rows: an EXIF value
	geometry    resize.Plan
	desc        spool.Desc
}

// oriented is the size after the orientation is applied.
func (f *target) oriented() (width, height int) { return oriented(f.width, f.height, f.orientation) }

// oriented is a size after an orientation is applied, an EXIF value.
func oriented(width, height, orientation int) (w, h int) {
	if orientation >= 5 {
		return height, width
	}
	return width, height
}

// pass is the kernels' plan from the decoder's rows to the result. They make one pass over the rows, with any
// orientation, blending and resize.
func (f *target) pass(in intake) kernel.Plan {
	g, s := f.geometry, f.spec
	return kernel.Plan{
		Width: f.width, Height: f.height, Channels: in.channels, Bits: in.bits,
		Intake: in.alpha, Background: [3]uint8{s.Over.R, s.Over.G, s.Over.B}, Gray: in.gray,
		Premultiply: g.Premultiply && in.channels == 4 && in.alpha == kernel.AsIs && s.Resize.Bits != 16,
		Orientation: f.orientation,
		Left:        g.Left, Right: g.Right, Top: g.Top, H: axis(g.Horizontal), V: axis(g.Vertical),
		VerticalFirst: g.VerticalFirst,
		CanvasWidth:   g.OutWidth, CanvasHeight: g.OutHeight, X: g.X, Y: g.Y,
		Pad:   [4]uint8{s.Resize.PadColor[0], s.Resize.PadColor[1], s.Resize.PadColor[2], 0},
		FlipX: g.FlipX, FlipY: g.FlipY,
		OutChannels: s.Color.Channels(), Swap: s.Color == BGR,
		DType: s.DType, Layout: f.desc.Layout, Mean: s.Mean, Std: s.Std,
	}
}

// passAfterPlanes is the kernels' plan for the pixels that come from the planes. They have the size after resizing, and
// the orientation of the stored image.
func (f *target) passAfterPlanes(in intake) kernel.Plan {
	plan := f.pass(in)
	w, h := f.geometry.W, f.geometry.H
	plan.Left, plan.Right, plan.Top = 0, w, 0
	plan.H, plan.V = kernel.Axis{In: w, Out: w}, kernel.Axis{In: h, Out: h}
	if plan.Width, plan.Height = w, h; plan.Orientation >= 5 {
		plan.Width, plan.Height = h, w
	}
	plan.VerticalFirst, plan.Premultiply = false, false
	return plan
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
