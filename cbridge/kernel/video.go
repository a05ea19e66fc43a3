package kernel

// #include "planes_engine.h"
// #include "planes_video.h"
import "C"

import "math"

// Matrix holds the weights of red and blue in a video's luma; green has the remainder to 1. The zero value is BT601.
type Matrix struct{ Kr, Kb float64 }

// The matrices of ITU-T H.273, table 4, by their usual names. BT601 is that of BT.470BG and SMPTE 170M, and BT2020 that
// of non-constant luminance.
var (
	BT601     = Matrix{0.299, 0.114}
	BT709     = Matrix{0.2126, 0.0722}
	BT2020    = Matrix{0.2627, 0.0593}
	FCC       = Matrix{0.30, 0.11}
	SMPTE240M = Matrix{0.212, 0.087}
)

// MatrixOf returns the matrix of a code point of ITU-T H.273, table 4. Unspecified (2) means BT.601, as in swscale. It
// returns false for code points that are not a matrix of luma and chroma.
func MatrixOf(code int) (Matrix, bool) {
	switch code {
	case 1:
		return BT709, true
	case 2, 5, 6:
		return BT601, true
	case 4:
		return FCC, true
	case 7:
		return SMPTE240M, true
	case 9:
		return BT2020, true
	}
	return Matrix{}, false
}

// valid reports whether the weights are not negative and green's is at least 0.5, so that the coefficients fit those of
// the kernels.
func (m Matrix) valid() bool { return m.Kr >= 0 && m.Kb >= 0 && m.Kr+m.Kb <= 0.5 }

// Chroma is the layout of the U and V planes.
type Chroma uint8

const (
	Separate Chroma = iota // in two planes
	PairsUV                // in one interleaved plane, U first: NV12, P010
	PairsVU                // V first: NV21
	chromas
)

// Video describes the samples of a video's planes. The zero value is 8 bits of limited range and BT601, in three
// planes.
type Video struct {
	Matrix Matrix
	Full   bool // luma and chroma have the full range, instead of 16 to 235 and to 240 (at 8 bits)
	Bits   int  // of a sample: 8 (as is 0) to 16. Deeper samples than 8 bits are 16-bit words in native byte order
	High   bool // samples are the high bits of their words (P010), instead of the low ones
	Chroma Chroma

	// Deep keeps the depth of samples of more than 8 bits: planes are resized in 16 bits, and rows have 16 bits with white
	// at 255 * 256, as in swscale. Otherwise samples are rounded to 8 bits first.
	Deep bool
}

func (v Video) words() bool { return v.Bits > 8 }

// putVideo adds the properties of the video to a plan for the kernels.
func (p *PlanesPlan) putVideo(plan *C.spool_planes_plan) {
	v := p.Video
	bits := max(v.Bits, 8)
	plan.words, plan.deep = flag(v.words()), flag(v.Deep)
	plan.pairs, plan.swapped = flag(v.Chroma != Separate), flag(v.Chroma == PairsVU)
	plan.expand = flag(p.gray() && !v.Full)
	switch { // from memory to 8 or 16 bits
	case v.Deep && !v.High:
		plan.shift = C.int32_t(16 - bits)
	case !v.Deep && v.High:
		plan.shift = 8
	case !v.Deep:
		plan.shift = C.int32_t(bits - 8)
	}
	c := v.coefficients()
	switch {
	case v.Deep:
		plan.color = c.words(0.5)
	case p.truncates():
		plan.rule = C.SPOOL_RULE_SWSCALE
		plan.color = v.truncating()
	default:
		plan.color = c.fixed(C.SPOOL_VIDEO_LUMA, C.SPOOL_VIDEO_CHROMA)
		plan.color.bias = C.int32_t(math.Round(math.Ldexp(0.5-c.zero*c.luma-p.darker(), C.SPOOL_VIDEO_FRACTION)))
	}
}

// truncates reports whether swscale has a special conversion for such planes. That conversion truncates products.
func (p *PlanesPlan) truncates() bool {
	return !p.gray() && !p.Video.words() && p.Video.Chroma == Separate && p.SubX == 2 && p.SubY <= 2 && p.Height%2 == 0
}

// truncating returns the coefficients of swscale's truncating conversion, computed with swscale's integer arithmetic.
func (v Video) truncating() C.spool_color {
	c := v.Matrix.swscale()
	luma, zero := 255<<16/219, 16
	if v.Full {
		luma, zero = 1<<16, 0
		for i := range c {
			c[i] = c[i] * 224 / 255
		}
	}
	fixed := func(x int) C.int32_t {
		return C.int32_t((x + 1<<(15-C.SPOOL_SWSCALE_COLOR)) >> (16 - C.SPOOL_SWSCALE_COLOR))
	}
	return C.spool_color{luma: fixed(luma), bias: C.int32_t(-zero) << C.SPOOL_SWSCALE_SHIFT,
		v_to_r: fixed(c[0]), u_to_b: fixed(c[1]), u_to_g: fixed(-c[2]), v_to_g: fixed(-c[3])}
}

// swscale returns the matrix of limited range as in ff_yuv2rgb_coeffs of libswscale/yuv2rgb.c. The factors are those of
// V to red, U to blue, U to green and V to green, with 16 bits of fraction. Some differ from the values that follow
// from Kr and Kb.
func (m Matrix) swscale() [4]int {
	switch m {
	case Matrix{}, BT601:
		return [4]int{104597, 132201, 25675, 53279}
	case BT709:
		return [4]int{117489, 138438, 13975, 34925}
	case BT2020:
		return [4]int{110013, 140363, 12277, 42626}
	case FCC:
		return [4]int{104448, 132798, 24759, 53109}
	case SMPTE240M:
		return [4]int{117579, 136230, 16907, 35559}
	}
	c := Video{Matrix: m}.coefficients()
	round := func(x float64) int { return int(math.Round(math.Ldexp(x, 16))) }
	return [4]int{round(c.redV), round(c.blueU), round(-c.greenU), round(-c.greenV)}
}

// Coefficients are the integer coefficients of a conversion to RGB, for kernels of other devices.
type Coefficients struct{ Luma, Bias, RedV, GreenU, GreenV, BlueU int32 }

// Coefficients returns the coefficients of the video. For 8 bits they are those of swscale's truncating conversion,
// with the zero of luma in Bias. For deeper samples, at the top of 16-bit words, they have 21 bits of fraction, and
// Bias is added to the sums.
func (v Video) Coefficients() Coefficients {
	c := v.truncating()
	if v.words() {
		c = v.coefficients().words(128)
	}
	return Coefficients{int32(c.luma), int32(c.bias), int32(c.v_to_r), int32(c.u_to_g), int32(c.v_to_g), int32(c.u_to_b)}
}

// Interpolates reports how swscale, as cbridge/av uses it, derives chroma for the rows of an image. It ignores the
// chroma location of the video. swscale's special conversion for halved chroma repeats samples; otherwise swscale
// interpolates (resize.Cubic). Along rows samples are repeated in both cases. ok is false if swscale stretches chroma
// of an odd size to the image, by up to half a sample.
func (p *PlanesPlan) Interpolates() (interpolates, ok bool) {
	if p.truncates() {
		return false, true
	}
	odd := p.SubX == 2 && p.Width%2 == 1 || p.SubY == 2 && p.Height%2 == 1
	return true, !odd
}

// darker returns the error of luma in swscale's other conversions of limited range with subsampled chroma. Its table of
// luma begins at -326 (libswscale/yuv2rgb.c), which stands for -384 of the full range less 16.
func (p *PlanesPlan) darker() float64 {
	if p.gray() || p.Video.Full || p.SubX*p.SubY == 1 || p.Width%2 == 1 { // odd widths: chroma at full size
		return 0
	}
	const range255 = 255.0 / 219
	return 384 + 16 - 326*range255 - 16*range255
}

// coefficients are those of a conversion, in output steps per sample step. zero is the sample value of black at 8 bits.
type coefficients struct{ zero, luma, redV, greenU, greenV, blueU float64 }

// coefficients returns the same values for 8 and 16 bits, as in swscale: white is 255, and 255 * 256.
func (v Video) coefficients() coefficients {
	zero, luma, chroma := 16.0, 255.0/219, 255.0/224
	if v.Full {
		zero, luma, chroma = 0, 1, 1
	}
	m := v.Matrix
	if m == (Matrix{}) {
		m = BT601
	}
	red, blue, green := 2*(1-m.Kr)*chroma, 2*(1-m.Kb)*chroma, 1-m.Kr-m.Kb
	return coefficients{zero: zero, luma: luma,
		redV: red, greenU: -blue * m.Kb / green, greenV: -red * m.Kr / green, blueU: blue}
}

// fixed returns the coefficients as integers with the given bits of fraction.
func (c coefficients) fixed(luma, chroma int) C.spool_color {
	round := func(x float64, fraction int) C.int32_t { return C.int32_t(math.Round(math.Ldexp(x, fraction))) }
	return C.spool_color{luma: round(c.luma, luma), v_to_r: round(c.redV, chroma),
		u_to_g: round(c.greenU, chroma), v_to_g: round(c.greenV, chroma), u_to_b: round(c.blueU, chroma)}
}

// words returns the coefficients for 16-bit samples. half is the rounding offset: half a step of the result.
func (c coefficients) words(half float64) C.spool_color {
	color := c.fixed(C.SPOOL_VIDEO_WORDS, C.SPOOL_VIDEO_WORDS)
	color.bias = C.int32_t(math.Round(math.Ldexp(half-256*c.zero*c.luma, C.SPOOL_VIDEO_WORDS)))
	return color
}
