package video

import (
	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/internal/pixels"
	"github.com/spoolmedia/spool/resize"
)

// byPlanes plans to resize the planes of frames at their own resolutions, and to convert only the pixels of the result,
// which pass then takes. It applies with profile resize.Fast, to formats with planes, and does nothing otherwise.
func (k *output) byPlanes(w *view, p *pixels.Target, pass *kernel.Plan) error {
	r := &p.Spec.Resize
	if r.Profile != resize.Fast || r.Filter.Picks() {
		return nil
	}
	planeLayout, ok := w.kind.format.Planes()
	if !ok || max(planeLayout.SubX, planeLayout.SubY) > 2 {
		return nil
	}
	video := kernel.Video{Full: w.kind.full(), Bits: planeLayout.Depth, High: planeLayout.High, Deep: w.deep}
	if video.Matrix, ok = kernel.MatrixOf(int(w.kind.color.Matrix)); !ok {
		return nil
	}
	if planeLayout.Paired {
		video.Chroma = kernel.PairsUV
		if planeLayout.Swapped {
			video.Chroma = kernel.PairsVU
		}
	}
	plan := kernel.PlanesPlan{Rule: kernel.RuleVideo, Video: video, Width: p.Width, Height: p.Height, SubX: 1, SubY: 1}
	if !planeLayout.Gray {
		plan.SubX, plan.SubY = planeLayout.SubX, planeLayout.SubY
	}
	interpolates, ok := plan.Interpolates()
	if !ok {
		return nil
	}
	sampling := resize.Sampling{X: resize.Repeated, Y: resize.Repeated, Block: 1}
	if interpolates {
		sampling.Y = resize.Cubic
	}
	width, height := p.Oriented()
	area := func(subX, subY int) (*kernel.PlaneArea, error) {
		sampling.SubX, sampling.SubY = subX, subY
		plan, err := r.PlanPlane(width, height, p.Orientation, sampling, k.video.decoder.tables)
		if err != nil {
			return nil, err
		}
		return &kernel.PlaneArea{Left: plan.Left, Top: plan.Top, H: pixels.Axis(plan.Horizontal),
			V: pixels.Axis(plan.Vertical)}, nil
	}
	var err error
	if plan.Luma, err = area(1, 1); err != nil {
		return err
	}
	in := pixels.Intake{Channels: 1, Bits: p.Bits}
	if !planeLayout.Gray {
		in.Channels, in.Gray = 3, p.Spec.Color == decode.Gray
		if plan.Chroma, err = area(planeLayout.SubX, planeLayout.SubY); err != nil {
			return err
		}
	}
	if w.planes, err = plan.Prepare(); err != nil {
		return err
	}
	*pass, w.scratch = p.PlanAfterPlanes(in), w.planes.ScratchBytes()
	return nil
}

// full reports whether samples have the full range.
func (k frameKind) full() bool { return k.format.Full(k.color.Range) }
