package image

import (
	"context"
	"unsafe"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/decode/internal/pixels"
	"github.com/spoolmedia/spool/resize"
)

// planar is a lane that can decode planes at a reduced size for less work: each sample is the mean of a small square.
// The planes are resized at their own resolutions, and only the pixels of the result are converted to RGB. This is used
// for resize.Fast only.
type planar interface {
	// sampling gives the chroma subsampling of a stored image: pixels to a sample of chroma in each direction, 1 or 2. It
	// is false where the lane cannot give planes.
	sampling(i Info) (subX, subY int, ok bool)
	// decodePlanes pushes the planes that the sink wants, a spool_planes of cbridge/kernel.
	decodePlanes(ctx context.Context, data []byte, i Info, s planeScales, sink unsafe.Pointer, r rows) (progress, error)
}

// planeScales is the size of the decoded planes: one sample for so many of the stored plane's in each direction, 1, 2,
// 4 or 8.
type planeScales struct {
	gray         bool // luma only
	luma, chroma int
	subX, subY   int // samples of luma to one of chroma in the decoded planes
}

// planes is the plan of an image that is decoded by planes.
type planes struct {
	lane       planar
	subX, subY int // chroma subsampling as stored
	scales     planeScales
}

// Scale is the size of an image's decoded planes. Luma and Chroma are the samples of the stored plane to one decoded
// sample, in each direction: 1, 2, 4 or 8. Chroma is 0 for a gray result.
type Scale struct{ Luma, Chroma int }

// scale is Trace.Scale.
func (p *plan) scale() Scale {
	switch {
	case p.planes == nil:
		return Scale{}
	case p.planes.scales.gray:
		return Scale{Luma: p.planes.scales.luma}
	}
	return Scale{p.planes.scales.luma, p.planes.scales.chroma}
}

// The margins keep resize.Fast within its bound, with reserve. They were chosen on 340 photos and four of 12
// megapixels, at sizes from 10 to 1100. With bilinear and bicubic filters none of these differed by a mean above 0.8,
// or fell below 46 dB. TestFastKeepsItsBound checks all filters against the bound. Drawings and text may differ by
// more: where decoded samples are clipped, as at their edges, the means are not those of the pixels.
const (
	// chromaMargin is the least number of chroma samples to a pixel of the result, in each direction, where they are means
	// of larger squares than the luma samples.
	chromaMargin = 2
	// sparseBits is the most bits of the file to a square of 8 x 8 pixels in an image with little detail of that size.
	sparseBits = 60
	// planesPixels is the least number of image pixels to a pixel of the result. Below it, converting all pixels is no
	// slower.
	planesPixels = 2
)

// lumaMargins are the least numbers of luma samples to a pixel of the result where they are means, for each filter.
// Sharper filters need more.
var lumaMargins = [...]struct{ detailed, sparse float64 }{
	resize.Bilinear: {2.5, 1.5},
	resize.Bicubic:  {3, 1.5},
	resize.Lanczos:  {3.5, 2},
	resize.Box:      {4, 2.5},
}

// lumaMargin is the margin for an image with so many bytes and pixels.
func lumaMargin(f resize.Filter, bytes, pixels int64) float64 {
	if 8*bytes*64 < sparseBits*pixels {
		return lumaMargins[f].sparse
	}
	return lumaMargins[f].detailed
}

// byPlanes plans to decode by planes where the profile allows it and it is faster. It returns nil otherwise.
func (p *plan) byPlanes() *planes {
	r, g, i := &p.spec.Resize, &p.geometry, p.stored
	lane, ok := p.lane.(planar)
	if !ok || r.Profile != resize.Fast || r.Filter.Picks() || p.spec.converts(i) {
		return nil
	}
	perX, perY := g.Region.Width/float64(g.OutWidth), g.Region.Height/float64(g.OutHeight)
	if perX*perY < planesPixels {
		return nil
	}
	subX, subY, ok := lane.sampling(i)
	if !ok {
		return nil
	}
	gray := p.intake.Channels == 1
	scales := chooseScales(min(perX, perY), lumaMargin(r.Filter, int64(len(p.data)), int64(i.Width)*int64(i.Height)), gray,
		subX, subY)
	return &planes{lane: lane, subX: subX, subY: subY, scales: scales}
}

// chooseScales chooses the smallest planes for per image pixels to a pixel of the result, where luma means need the
// margin.
func chooseScales(per, margin float64, gray bool, subX, subY int) planeScales {
	s := planeScales{gray: gray, luma: 8, chroma: 8}
	for s.luma > 1 && per < margin*float64(s.luma) {
		s.luma /= 2
	}
	if gray {
		s.chroma, s.subX, s.subY = s.luma, 1, 1
		return s
	}
	// Chroma may be as large as luma or half as large, in both directions.
	least, most := s.luma/min(subX, subY), 2*s.luma/max(subX, subY)
	for s.chroma > most || s.chroma > max(least, 1) && per < chromaMargin*float64(s.chroma*max(subX, subY)) {
		s.chroma /= 2
	}
	s.subX, s.subY = subX*s.chroma/s.luma, subY*s.chroma/s.luma
	return s
}

// prepare is the kernels' plan for the planes.
func (f *planes) prepare(p *plan) (*kernel.PreparedPlanes, error) {
	s, i := f.scales, p.stored
	width, height := i.Oriented()
	area := func(sampling resize.Sampling) (*kernel.PlaneArea, error) {
		plan, err := p.spec.Resize.PlanPlane(width, height, i.Orientation, sampling, p.decoder.tables)
		if err != nil {
			return nil, err
		}
		return &kernel.PlaneArea{Left: plan.Left, Top: plan.Top, H: pixels.Axis(plan.Horizontal),
			V: pixels.Axis(plan.Vertical)}, nil
	}
	plan := kernel.PlanesPlan{Rule: kernel.RuleJPEG, Width: (i.Width + s.luma - 1) / s.luma,
		Height: (i.Height + s.luma - 1) / s.luma,
		SubX:   s.subX, SubY: s.subY}
	var err error
	if plan.Luma, err = area(resize.Sampling{SubX: 1, SubY: 1, Block: s.luma}); err != nil {
		return nil, err
	}
	if !s.gray {
		if plan.Chroma, err = area(resize.Sampling{SubX: f.subX, SubY: f.subY, Block: s.chroma}); err != nil {
			return nil, err
		}
	}
	return plan.Prepare()
}

// attemptPlanes decodes by planes.
func (p *plan) attemptPlanes(ctx context.Context, dst []byte, beside int) (done progress, err error) {
	d := p.decoder
	pass, err := p.pass(ctx)
	if err != nil {
		return progress{}, err
	}
	planeBytes := pass.rows.ScratchBytes() + pass.planes.ScratchBytes()
	need := planeBytes + p.adjust.ScratchBytes()
	ours := int64(need) + int64(len(dst)) + int64(beside)
	if ours+p.info.memory > d.limits.MaxMemory {
		return progress{declined: true}, nil // decoding rows may take less
	}
	buffer, err := d.scratch.GetFor(ctx, need, spool.Scratch)
	if spool.ClassOf(err) == spool.ErrTooLarge {
		return progress{declined: true}, nil
	}
	if err != nil {
		return progress{}, err
	}
	defer buffer.Release()
	mine, rest := buffer.Bytes()[:planeBytes], buffer.Bytes()[planeBytes:]
	front, sink, err := pass.planes.OpenBefore(pass.rows, p.adjust.Pixels(dst, rest), mine)
	if err != nil {
		return progress{}, err
	}
	defer func() { _, _ = front.Close(), sink.Close() }() // always nil
	done, err = p.planes.lane.decodePlanes(ctx, p.data, p.stored, p.planes.scales, front.Pointer(),
		rows{maxMemory: d.limits.MaxMemory - ours})
	if err == nil && !done.declined {
		err = p.finish(ctx, dst, rest)
	}
	done.scratch = int64(need)
	return done, err
}
