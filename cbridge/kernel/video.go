package kernel

// #include "planes_engine.h"
import "C"

import "math"

// Matrix is the parts of red and blue in a video's luma; green's is what they leave of 1. The zero value is BT601.
type Matrix struct{ Kr, Kb float64 }

// The matrices of ITU-T H.273, table 4, by their usual names: BT601 is that of BT.470BG and SMPTE 170M, and BT2020 the
// one of non-constant luminance.
var (
	BT601     = Matrix{0.299, 0.114}
	BT709     = Matrix{0.2126, 0.0722}
	BT2020    = Matrix{0.2627, 0.0593}
	FCC       = Matrix{0.30, 0.11}
	SMPTE240M = Matrix{0.212, 0.087}
)

// valid reports whether luma has parts of three colours, of which green's is the largest, so that the coefficients
// that follow from it fit those of the kernels.
func (m Matrix) valid() bool { return m.Kr >= 0 && m.Kb >= 0 && m.Kr+m.Kb <= 0.5 }

// Chroma says how the planes of U and V lie.
type Chroma uint8

const (
	Separate Chroma = iota // in two planes
	PairsUV                // in one plane of pairs, U first: NV12, P010
	PairsVU                // V first: NV21
	chromas
)

// Video says what the samples of a video's planes are, and what they stand for. The zero value is 8 bits of limited
// range and BT601, in three planes.
type Video struct {
	Matrix Matrix
	Full   bool // luma and chroma have the whole range, instead of 16 to 235 and 240 (of 8 bits)
	Bits   int  // of a sample: 8, which 0 means as well, to 16. Those above 8 lie in words of 16, in the machine's byte order,
	High   bool // of which they are the high bits (P010), instead of the low ones
	Chroma Chroma

	// Deep keeps the depth of samples of more than 8 bits: planes are resized in 16 bits, and rows have 16.
	// Otherwise they are rounded to 8 bits before all else.
	Deep bool
}

func (v Video) words() bool { return v.Bits > 8 }

// put adds what the video is to a plan for the kernels.
func (v Video) put(plan *C.spool_planes_plan) {
	bits := max(v.Bits, 8)
	plan.words, plan.deep = flag(v.words()), flag(v.Deep)
	plan.pairs, plan.swapped = flag(v.Chroma != Separate), flag(v.Chroma == PairsVU)
	plan.expand = flag(plan.gray != 0 && (!v.Full || v.Deep && bits < 16))
	switch { // from memory to 8 or 16 bits
	case v.Deep && !v.High:
		plan.shift = C.int32_t(16 - bits)
	case !v.Deep && v.High:
		plan.shift = 8
	case !v.Deep:
		plan.shift = C.int32_t(bits - 8)
	}
	plan.color = v.color(bits)
}

// color are the coefficients that lead from the samples as they are resized to rows of as many bits.
func (v Video) color(bits int) C.spool_color {
	top, one := 255.0, 1.0 // of a row; what the step of 8 bits is to samples
	luma, chroma := int(C.SPOOL_COLOR_LUMA), int(C.SPOOL_COLOR_CHROMA)
	if v.Deep {
		top, one = 65535, 256
		luma, chroma = C.SPOOL_COLOR_WORDS, C.SPOOL_COLOR_WORDS
	}
	// Luma's range, half of chroma's, and luma's zero.
	lumaRange, chromaRange, zero := 219*one, 112*one, 16*one
	if v.Full {
		lumaRange, zero = top, 0
		if v.Deep {
			lumaRange = 65536 - math.Ldexp(1, 16-bits)
		}
		chromaRange = lumaRange / 2
	}
	m := v.Matrix
	if m == (Matrix{}) {
		m = BT601
	}
	red, blue, green := 2*(1-m.Kr), 2*(1-m.Kb), 1-m.Kr-m.Kb
	fixed := func(x float64, fraction int) C.int32_t { return C.int32_t(math.Round(math.Ldexp(x, fraction))) }
	perChroma := top / (2 * chromaRange)
	return C.spool_color{
		y_zero: C.int32_t(zero),
		luma:   fixed(top/lumaRange, luma),
		v_to_r: fixed(red*perChroma, chroma),
		u_to_g: fixed(blue*m.Kb/green*perChroma, chroma),
		v_to_g: fixed(red*m.Kr/green*perChroma, chroma),
		u_to_b: fixed(blue*perChroma, chroma),
	}
}
