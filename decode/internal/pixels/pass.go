package pixels

import (
	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/resize"
)

// Intake describes the samples that a lane pushes, and their first conversion.
type Intake struct {
	Channels int           // 1, 3 or 4
	Bits     int           // 8 or 16; 0 means 8
	Alpha    kernel.Intake // AsIs, DropAlpha or Blend
	Gray     bool          // converted to luma after that
}

// Target is the result of one image or frame, and the geometry that leads to it.
type Target struct {
	Spec        Spec
	Width       int // of the rows
	Height      int
	Bits        int // of a sample: 8 or 16
	Orientation int // of the rows: an EXIF value
	Geometry    resize.Plan
	Desc        spool.Desc
}

// Oriented is the size after the orientation is applied.
func (f *Target) Oriented() (width, height int) { return Oriented(f.Width, f.Height, f.Orientation) }

// Oriented is a size after an orientation is applied, an EXIF value.
func Oriented(width, height, orientation int) (w, h int) {
	if orientation >= 5 {
		return height, width
	}
	return width, height
}

// Plan is the kernels' plan from the decoder's rows to the result. They make one pass over the rows, with any
// orientation, blending and resize.
func (f *Target) Plan(in Intake) kernel.Plan {
	g, s := f.Geometry, f.Spec
	return kernel.Plan{
		Width: f.Width, Height: f.Height, Channels: in.Channels, Bits: in.Bits,
		Intake: in.Alpha, Background: [3]uint8{s.Over.R, s.Over.G, s.Over.B}, Gray: in.Gray,
		Premultiply: g.Premultiply && in.Channels == 4 && in.Alpha == kernel.AsIs && s.Resize.Bits != 16,
		Orientation: f.Orientation,
		Left:        g.Left, Right: g.Right, Top: g.Top, H: Axis(g.Horizontal), V: Axis(g.Vertical),
		VerticalFirst: g.VerticalFirst,
		CanvasWidth:   g.OutWidth, CanvasHeight: g.OutHeight, X: g.X, Y: g.Y,
		Pad:   [4]uint8{s.Resize.PadColor[0], s.Resize.PadColor[1], s.Resize.PadColor[2], 0},
		FlipX: g.FlipX, FlipY: g.FlipY,
		OutChannels: s.Color.Channels(), Swap: s.Color == decode.BGR,
		DType: s.DType, Layout: f.Desc.Layout, Mean: s.Mean, Std: s.Std,
	}
}

// PlanAfterPlanes is the kernels' plan for the pixels that come from the planes. They have the size after resizing, and
// the orientation of the stored image.
func (f *Target) PlanAfterPlanes(in Intake) kernel.Plan {
	plan := f.Plan(in)
	w, h := f.Geometry.W, f.Geometry.H
	plan.Left, plan.Right, plan.Top = 0, w, 0
	plan.H, plan.V = kernel.Axis{In: w, Out: w}, kernel.Axis{In: h, Out: h}
	if plan.Width, plan.Height = w, h; plan.Orientation >= 5 {
		plan.Width, plan.Height = h, w
	}
	plan.VerticalFirst, plan.Premultiply = false, false
	return plan
}

// Axis is a planned axis for the kernels.
func Axis(a *resize.Axis) kernel.Axis { return kernel.Axis(*a) }

// WithSink runs fill with a sink and always closes it: memory that the sink pins must not leak in a panic.
func WithSink(pass *kernel.Prepared, dst, scratch []byte, fill func(*kernel.Sink) error) error {
	sink, err := pass.Open(dst, scratch)
	if err != nil {
		return err
	}
	defer sink.Close()
	return fill(sink)
}
