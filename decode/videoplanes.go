package decode

import (
	"strings"

	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/resize"
)

// byPlanes has frames taken by their planes, where they have such: resize.Fast's way, on which each plane is resized at
// its own resolution before the pixels of the result are converted. The others take the planes where these become what
// swscale makes of them, byte for byte, only sooner; then all pixels are converted, and resized. It is false where not.
func (k *cut) byPlanes(w *view, p *picture) (bool, error) {
	lie, ok := w.kind.format.Planes()
	if !ok || max(lie.SubX, lie.SubY) > 2 {
		return false, nil
	}
	r, orientation := p.spec.Resize, p.info.Orientation
	width, height := p.info.Oriented()
	first := r.Profile == resize.Fast && r.Filter != resize.Nearest // planes are resized first
	if !first {
		if !sameAsSwscale(lie, p) {
			return false, nil
		}
		r, orientation, width, height = resize.Spec{}, 1, p.info.Width, p.info.Height
	}
	video := kernel.Video{Full: w.kind.full(), Bits: lie.Depth, High: lie.High, Deep: w.deep}
	if video.Matrix, ok = matrixOf(w.kind.color.Matrix); !ok {
		return false, nil
	}
	if lie.Paired {
		video.Chroma = kernel.PairsUV
		if lie.Swapped {
			video.Chroma = kernel.PairsVU
		}
	}
	plan := kernel.PlanesPlan{Rule: kernel.RuleVideo, Video: video, Width: p.info.Width, Height: p.info.Height, SubX: 1, SubY: 1}
	if !lie.Gray {
		plan.SubX, plan.SubY = lie.SubX, lie.SubY
	}
	averages, ok := plan.Averages()
	if !ok {
		return false, nil
	}
	sampling := resize.Sampling{X: resize.Repeated, Y: resize.Repeated, Block: 1}
	if averages {
		sampling.Y = resize.Averaged
	}
	area := func(subX, subY int) (*kernel.PlaneArea, error) {
		sampling.SubX, sampling.SubY = subX, subY
		plan, err := r.PlanPlane(width, height, orientation, sampling, k.video.decoder.tables)
		if err != nil {
			return nil, err
		}
		return &kernel.PlaneArea{Left: plan.Left, Top: plan.Top, H: axis(plan.Horizontal), V: axis(plan.Vertical)}, nil
	}
	var err error
	if plan.Luma, err = area(1, 1); err != nil {
		return false, err
	}
	in := intake{channels: 1, bits: p.info.Bits}
	if !lie.Gray {
		in.channels, in.gray = 3, p.spec.Color == Gray
		if plan.Chroma, err = area(lie.SubX, lie.SubY); err != nil {
			return false, err
		}
	}
	if w.planes, err = plan.Prepare(); err != nil {
		return false, err
	}
	w.scratch[1] = w.planes.ScratchBytes()
	if first {
		w.pass = p.passBehind(in)
	} else {
		w.pass = p.pass(in)
	}
	return true, nil
}

// sameAsSwscale says of which planes the kernels make swscale's bytes: those that it has a way of its own for, which is
// that of 8 bits with chroma halved and even sides. All rows have to be wanted: a crop leaves most of them to swscale.
func sameAsSwscale(lie av.Planes, p *picture) bool {
	width, height := p.info.Oriented()
	g := &p.geometry
	return lie.Depth == 8 && !lie.Gray && !lie.Paired && lie.SubX == 2 && p.info.Width%2 == 0 && p.info.Height%2 == 0 &&
		g.Left == 0 && g.Top == 0 && g.Right == width && g.Bottom == height
}

// full reports whether samples have the whole range, as swscale decides it.
func (k frameKind) full() bool {
	const full = 2 // of H.273, as FFmpeg counts

	return k.color.Range == full || strings.HasPrefix(k.format.String(), "yuvj")
}

// matrixOf is the matrix of a code point of ITU-T H.273, table 4, BT.601 where a video does not say, as swscale has it.
// It is false for those that are no matrix of luma and chroma.
func matrixOf(code int32) (kernel.Matrix, bool) {
	switch code {
	case 1:
		return kernel.BT709, true
	case 2, 5, 6:
		return kernel.BT601, true
	case 4:
		return kernel.FCC, true
	case 7:
		return kernel.SMPTE240M, true
	case 9:
		return kernel.BT2020, true
	}
	return kernel.Matrix{}, false
}
