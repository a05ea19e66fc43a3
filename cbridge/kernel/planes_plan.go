package kernel

// #include "planes_engine.h"
import "C"

import (
	"unsafe"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/invalid"
)

// Rule selects the arithmetic of the conversion from YCbCr to RGB.
type Rule uint8

const (
	// RuleWebP is libwebp's: BT.601 of limited range in its integers, and chroma interpolated by 9, 3, 3 and 1 sixteenths,
	// byte for byte (src/dsp/yuv.h and upsampling.c of version 1.2.4).
	RuleWebP Rule = iota
	// RuleJPEG is JFIF's: BT.601 of full range, within 1 of libjpeg's integers. It requires planes that are resized:
	// libjpeg's chroma interpolation is folded into the weights of chroma (resize.Spec.PlanPlane).
	RuleJPEG
	// RuleVideo converts by PlanesPlan.Video, as bright as swscale's default conversion of such frames. For 8-bit planes
	// with halved chroma, swscale truncates products, and RuleVideo gives the same bytes. Other subsampled video of
	// limited range is 1.78 of 255 too dark. The rest is rounded, and so are frames that stay Deep. Like RuleJPEG it
	// requires planes that are resized: Interpolates reports how chroma has to be resized.
	RuleVideo
	rules
)

// PlaneArea describes the crop and the resize of a plane: V.In rows from Top on and H.In columns from Left on become
// V.Out x H.Out samples.
type PlaneArea struct {
	Left, Top int
	H, V      Axis
}

// PlanesPlan describes how the planes of an image become RGB rows. Samples are uint8, and chroma has luma's size or is
// halved in one or both directions, rounded up. The planes of a video may have other properties (Video).
type PlanesPlan struct {
	Rule          Rule
	Video         Video // for RuleVideo
	Width, Height int   // of luma
	SubX, SubY    int   // samples of luma for each sample of chroma: 1 or 2

	// Luma and Chroma resize each plane at its own resolution, to one common size, before conversion to RGB. There are
	// then fewer pixels to convert, but the result differs from converting first. If both are nil, chroma is interpolated,
	// and rows have the image's own size. If only Chroma is nil, rows are luma, of one channel.
	Luma, Chroma *PlaneArea
}

// chromaSize returns the size of the chroma planes.
func (p *PlanesPlan) chromaSize() (width, height int) {
	return (p.Width + p.SubX - 1) / p.SubX, (p.Height + p.SubY - 1) / p.SubY
}

// gray reports whether rows are luma.
func (p *PlanesPlan) gray() bool { return p.Luma != nil && p.Chroma == nil }

// rowBytes returns the sizes of a row of luma and of a row of chroma in memory.
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

// validate returns all problems of the plan, except those of its areas.
func (p *PlanesPlan) validate() error {
	var bad invalid.Options
	require := func(ok bool, what string) {
		if !ok {
			bad.Addf("kernel: planes: %s", what)
		}
	}
	require(p.Rule < rules, "an unknown Rule")
	require(p.Rule == RuleWebP || p.Luma != nil, "RuleJPEG or RuleVideo of planes that are not resized")
	require(p.Rule == RuleVideo || p.Video == Video{}, "Video without RuleVideo")
	require(p.Rule != RuleVideo || p.Video.Matrix.valid(), "an invalid Matrix")
	require(p.Video.Bits == 0 || 8 <= p.Video.Bits && p.Video.Bits <= 16, "Bits is not in 8..16")
	require(p.Video.words() || !p.Video.High && !p.Video.Deep, "High or Deep of samples of 8 bits")
	require(p.Video.Chroma < chromas, "an unknown Chroma")
	require(p.Chroma != nil || p.Video.Chroma == Separate, "interleaved Chroma of luma only")
	require(min(p.Width, p.Height) >= 1 && max(p.Width, p.Height) <= maxSize, "Width or Height out of range")
	require(1 <= p.SubX && p.SubX <= 2 && 1 <= p.SubY && p.SubY <= 2, "SubX or SubY is not 1 or 2")
	require(p.Luma != nil || p.Chroma == nil, "Chroma without Luma")
	require(p.Chroma != nil || p.Luma == nil || p.SubX == 1 && p.SubY == 1, "SubX or SubY of luma only")
	if p.Luma != nil && p.Chroma != nil {
		require(p.Luma.H.Out == p.Chroma.H.Out && p.Luma.V.Out == p.Chroma.V.Out, "Luma and Chroma of different results")
	}
	return bad.Err()
}

// Costs of the passes in picoseconds for an output sample, measured with AVX2. verticalTap is for one tap of the
// vertical pass. horizontalPair is for two taps of the horizontal pass if four outputs share one load. Otherwise,
// horizontalLoad is for eight of its taps.
const (
	verticalTap    = 12
	horizontalPair = 35
	horizontalLoad = 500
)

// verticalFirst reports whether it is cheaper to run the vertical pass first. It is for images that shrink a lot,
// because the vertical pass is the faster one. The order changes the rounding between the passes, which is acceptable
// for video.
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

// plan returns the plan for one plane of w x h, whose samples have 8 bits or, if deep, 16.
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

// PreparedPlanes is a validated plan with derived data.
type PreparedPlanes struct {
	plan PlanesPlan
	c    C.spool_planes_plan
	work []*Prepared // of each plane that is resized
	size int
}

// Prepare validates the plan, and computes what NewPlanes and ScratchBytes would otherwise each compute. Areas are kept
// and only read.
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
		w, err := plan.Prepare()
		if err != nil {
			return nil, err
		}
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

// ScratchBytes returns the size of the scratch memory that Open needs: about 4 rows of the image or, for planes that
// are resized, the scratch of their passes and their results.
func (r *PreparedPlanes) ScratchBytes() int { return r.size }

// ScratchBytes returns the size for the prepared plan. It is 0 for a plan that NewPlanes refuses.
func (p *PlanesPlan) ScratchBytes() int {
	r, err := p.Prepare()
	if err != nil {
		return 0
	}
	return r.size
}

const alignment = 64

func aligned(n int) int { return (n + alignment - 1) &^ (alignment - 1) }
