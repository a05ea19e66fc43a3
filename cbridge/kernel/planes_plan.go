package kernel

// #include "planes_engine.h"
import "C"

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/spoolmedia/spool"
)

// Rule is the arithmetic by which YCbCr becomes RGB.
type Rule uint8

const (
	// RuleWebP is libwebp's: BT.601 of limited range in its integers, and chroma interpolated by 9, 3, 3
	// and 1 sixteenths, byte for byte (src/dsp/yuv.h and upsampling.c of version 1.2.4).
	RuleWebP Rule = iota
	// RuleJPEG is JFIF's: BT.601 of full range, within 1 of libjpeg's integers. For planes that are resized
	// only: what libjpeg interpolates with is folded into the weights of chroma (resize.Spec.PlanPlane).
	RuleJPEG
	// RuleVideo is that of PlanesPlan.Video, as bright as swscale's default conversion makes frames of the same form:
	// that of planes of 8 bits with halved chroma cuts products off, and so does this, with the same bytes; other
	// subsampled video of limited range comes 1.78 of 255 too dark; the rest is rounded, as are frames that stay Deep.
	// For planes that are resized only, as RuleJPEG: Interpolates says how chroma is to be taken.
	RuleVideo
	rules
)

// PlaneArea says which part of a plane becomes what: rows from Top and columns from Left on, V.In and H.In
// of them, become V.Out x H.Out samples.
type PlaneArea struct {
	Left, Top int
	H, V      Axis
}

// PlanesPlan says how the planes of a picture become RGB rows: uint8, and chroma either of luma's size
// or halved in one or both directions, rounded up. Those of a video may be what its Video says.
type PlanesPlan struct {
	Rule          Rule
	Video         Video // with RuleVideo
	Width, Height int   // of luma
	SubX, SubY    int   // samples of luma to one of chroma: 1 or 2

	// Luma and Chroma resize each plane at its own resolution, to one size, before the pixels of the
	// result are converted: fewer, and not those that converting first would give. nil, both: chroma is
	// interpolated, and rows have the picture's own size. Chroma alone nil: rows are luma, of one channel.
	Luma, Chroma *PlaneArea
}

// chromaSize is the size of the chroma planes.
func (p *PlanesPlan) chromaSize() (width, height int) {
	return (p.Width + p.SubX - 1) / p.SubX, (p.Height + p.SubY - 1) / p.SubY
}

// gray reports whether rows are luma.
func (p *PlanesPlan) gray() bool { return p.Luma != nil && p.Chroma == nil }

// rowBytes is the size of a row of luma and of chroma, as they lie in memory.
func (p *PlanesPlan) rowBytes() (luma, chroma int) {
	width, _ := p.chromaSize()
	if p.Video.Chroma != Separate {
		width *= 2
	}
	if p.Video.words() {
		return 2 * p.Width, 2 * width
	}
	return p.Width, width
}

// validate reports all that is wrong with the plan, but for its areas.
func (p *PlanesPlan) validate() error {
	var problems []error
	require := func(ok bool, what string) {
		if !ok {
			problems = append(problems, fmt.Errorf("%w: kernel: planes: %s", spool.ErrOptions, what))
		}
	}
	require(p.Rule < rules, "an unknown Rule")
	require(p.Rule == RuleWebP || p.Luma != nil, "RuleJPEG or RuleVideo of planes that are not resized")
	require(p.Rule == RuleVideo || p.Video == Video{}, "Video without RuleVideo")
	require(p.Rule != RuleVideo || p.Video.Matrix.valid(), "a Matrix that is none")
	require(p.Video.Bits == 0 || 8 <= p.Video.Bits && p.Video.Bits <= 16, "Bits is not in 8..16")
	require(p.Video.words() || !p.Video.High && !p.Video.Deep, "High or Deep of samples of 8 bits")
	require(p.Video.Chroma < chromas, "an unknown Chroma")
	require(p.Chroma != nil || p.Video.Chroma == Separate, "Chroma in pairs of luma alone")
	require(min(p.Width, p.Height) >= 1 && max(p.Width, p.Height) <= maxSize, "Width or Height out of range")
	require(1 <= p.SubX && p.SubX <= 2 && 1 <= p.SubY && p.SubY <= 2, "SubX or SubY is not 1 or 2")
	require(p.Luma != nil || p.Chroma == nil, "Chroma without Luma")
	require(p.Chroma != nil || p.Luma == nil || p.SubX == 1 && p.SubY == 1, "SubX or SubY of luma alone")
	if p.Luma != nil && p.Chroma != nil {
		require(p.Luma.H.Out == p.Chroma.H.Out && p.Luma.V.Out == p.Chroma.V.Out, "Luma and Chroma of different results")
	}
	return errors.Join(problems...)
}

// What the passes cost, as measured with AVX2, in picoseconds: a tap of a sample that comes out of the vertical one, a
// pair of taps of the horizontal one where four outputs come from one load, and eight where they do not.
const (
	verticalTap    = 12
	horizontalPair = 35
	horizontalLoad = 500
)

// verticalFirst reports whether that is the cheaper order: where a picture shrinks much, because the vertical pass is
// the faster one. Rounding in between is not the same, which does not matter to video.
func (a *PlaneArea) verticalFirst() bool {
	if a.H.Start == nil || a.V.Start == nil {
		return false
	}
	taps := a.H.taps()
	row := (taps + 7) / 8 * horizontalLoad
	if a.H.reach(taps, false) <= C.SPOOL_QUAD_BYTES {
		row = (taps + 1) / 2 * horizontalPair
	}
	row *= a.H.Out
	column := a.V.taps() * verticalTap * a.V.Out
	return a.V.Out*row+a.H.In*column < a.V.In*row+a.H.Out*column
}

// plan is that for one plane of w x h, whose samples have 8 bits or, deep, 16.
func (a *PlaneArea) plan(w, h int, deep bool) *Plan {
	p := &Plan{Width: w, Height: h, Channels: 1, Left: a.Left, Right: a.Left + a.H.In, Top: a.Top, H: a.H, V: a.V,
		CanvasWidth: a.H.Out, CanvasHeight: a.V.Out, OutChannels: 1, Layout: spool.HWC}
	if deep {
		p.Bits, p.DType = 16, spool.Uint16
	}
	return p
}

func (p *PlanesPlan) c() C.spool_planes_plan {
	plan := C.spool_planes_plan{width: C.int32_t(p.Width), height: C.int32_t(p.Height),
		h: C.int32_t(p.SubX), v: C.int32_t(p.SubY), rule: C.int32_t(p.Rule), gray: flag(p.gray())}
	if p.Rule == RuleVideo {
		p.putVideo(&plan)
	}
	return plan
}

// PreparedPlanes is a plan that was checked, and what follows from it.
type PreparedPlanes struct {
	plan PlanesPlan
	c    C.spool_planes_plan
	work []planeWork // of each plane that is resized
	size int
}

// planeWork is what an engine for one plane is made from.
type planeWork struct {
	plan    *Plan
	way     stored
	c       C.spool_plan
	scratch int
}

// Prepare checks the plan, and computes what NewPlanes and ScratchBytes would compute each for itself.
// Areas are kept, and only read.
//
//	Errors: spool.ErrOptions, all problems of the plan.
func (p *PlanesPlan) Prepare() (*PreparedPlanes, error) {
	if err := p.validate(); err != nil {
		return nil, err
	}
	r := &PreparedPlanes{plan: *p, c: p.c()}
	if p.Luma == nil {
		r.size = int(C.spool_upsampler_bytes(&r.c))
		return r, nil
	}
	r.size = aligned(int(unsafe.Sizeof(C.spool_resampler{}))) + alignment
	plans := []*Plan{p.Luma.plan(p.Width, p.Height, p.Video.Deep)}
	if p.Chroma != nil {
		width, height := p.chromaSize()
		plans = append(plans, p.Chroma.plan(width, height, p.Video.Deep))
	}
	for _, plan := range plans {
		plan.VerticalFirst = p.Rule == RuleVideo && (&PlaneArea{H: plan.H, V: plan.V}).verticalFirst()
		if err := plan.validate(); err != nil {
			return nil, err
		}
		w := planeWork{plan: plan, way: plan.stored()}
		w.c = w.way.c(plan)
		w.scratch = int(C.spool_engine_bytes(&w.c))
		r.work = append(r.work, w)
	}
	if p.Chroma != nil {
		r.work = append(r.work, r.work[1]) // the second plane of chroma
	}
	for _, w := range r.work {
		r.size += aligned(w.plan.bytes()) + aligned(w.scratch)
	}
	return r, nil
}

// ScratchBytes is the size of the scratch memory that Open needs: about 4 rows of the picture, or,
// where planes are resized, theirs of the result as well.
func (r *PreparedPlanes) ScratchBytes() int { return r.size }

// ScratchBytes is that of the prepared plan. It is 0 for a plan that NewPlanes refuses.
func (p *PlanesPlan) ScratchBytes() int {
	r, err := p.Prepare()
	if err != nil {
		return 0
	}
	return r.size
}

const alignment = 64

func aligned(n int) int { return (n + alignment - 1) &^ (alignment - 1) }
