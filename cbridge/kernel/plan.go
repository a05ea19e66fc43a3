package kernel

import (
	"slices"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/invalid"
)

// Intake is the conversion of alpha, the first step of a plan.
type Intake uint8

const (
	AsIs      Intake = iota // unchanged
	DropAlpha               // 4 channels to 3, without blending
	Blend                   // 4 channels to 3, over Plan.Background
)

// Plan describes what a sink does with an image. Only ScratchBytes and NewSink use it, and they only read it.
type Plan struct {
	Width, Height, Channels int // of the pushed rows: 1, 3 or 4 channels, interleaved
	Bits                    int // of the pushed samples: 8 (as is 0), or 16 in native byte order
	Intake                  Intake
	Background              [3]uint8 // for Blend: the RGB color behind the pixels
	Gray                    bool     // then RGB to ITU-R 601 luma, (19595R + 38470G + 7471B + 32768) >> 16, as in Pillow

	// Premultiply weights colors by alpha during the resize, rounded to 8 bits before and after, as in Pillow's mode RGBa.
	// It requires 4 channels of 8 bits after Intake.
	Premultiply bool

	// Orientation is the EXIF orientation of the pushed rows, 1 to 8; 0 means 1. All fields below refer to the upright
	// image.
	Orientation int

	Left, Right int  // columns [Left, Right) are used; there are H.In of them
	Top         int  // rows from Top on are used; there are V.In of them
	H, V        Axis // the windows of later outputs neither begin nor end earlier

	// VerticalFirst runs the pass of V before that of H. The order affects rounding and clamping between the passes.
	VerticalFirst bool

	CanvasWidth, CanvasHeight int      // of the output
	X, Y                      int      // position of the image of H.Out x V.Out pixels in the canvas
	Pad                       [4]uint8 // the color around it: RGBA, also with Swap; gray is Pad[0]
	FlipX, FlipY              bool     // the canvas is mirrored, left to right or top to bottom

	// OutChannels is the number of channels of the output. Gray is repeated in 3 channels. Alpha is opaque if the image
	// has none, and dropped if the output has none.
	OutChannels int
	Swap        bool // BGR instead of RGB; alpha stays last

	// DType is Uint8, Uint16, Float16, BFloat16 or Float32. 8-bit samples are resized in 8 bits, and multiplied by 257 for
	// 16-bit output. 16-bit samples are resized in 16 bits, except for Uint8: then their low bytes are dropped first.
	DType  spool.DType
	Layout spool.Layout // HWC or CHW

	// Mean and Std are for the float types: (x/255 - mean) / std in float32 arithmetic, with 65535 for 16-bit samples. For
	// Float16 and BFloat16, the result is rounded. They have one value for all output channels or one for each; nil is 0
	// and 1.
	Mean, Std []float32

	ring int // bytes of rows kept between the passes even if sums would take less; 0 means ringBytes
}

// ringBytes fit in the cache. There, keeping a row is cheaper than adding it to sums.
const ringBytes = 64 << 10

// channels returns the number of channels after intake.
func (p *Plan) channels() int {
	switch {
	case p.Gray:
		return 1
	case p.Intake != AsIs:
		return 3
	}
	return p.Channels
}

// deep reports whether samples are resized in 16 bits.
func (p *Plan) deep() bool { return p.Bits == 16 && p.DType != spool.Uint8 }

// transposed reports whether pushed rows are columns of the upright image.
func (p *Plan) transposed() bool { return p.Orientation >= 5 }

// upright returns the size of the upright image.
func (p *Plan) upright() (width, height int) {
	if p.transposed() {
		return p.Height, p.Width
	}
	return p.Width, p.Height
}

// rowBytes returns the size of a pushed row.
func (p *Plan) rowBytes() int { return p.Width * p.Channels * max(p.Bits, 8) / 8 }

// bytes returns the size of the output.
func (p *Plan) bytes() int { return p.CanvasWidth * p.CanvasHeight * p.OutChannels * p.DType.Size() }

// validate returns all problems of the plan.
func (p *Plan) validate() error {
	var bad invalid.Options
	require := func(ok bool, what string) {
		if !ok {
			bad.Addf("kernel: %s", what)
		}
	}
	extent := func(n int) bool { return 1 <= n && n <= maxSize }

	require(extent(p.Width) && extent(p.Height), "Width or Height out of range")
	require(extent(p.CanvasWidth) && extent(p.CanvasHeight), "CanvasWidth or CanvasHeight out of range")
	require(p.Channels == 1 || p.Channels == 3 || p.Channels == 4, "Channels is not 1, 3 or 4")
	require(p.OutChannels == 1 || p.OutChannels == 3 || p.OutChannels == 4, "OutChannels is not 1, 3 or 4")
	require(p.OutChannels != 1 || p.channels() == 1, "colour cannot be stored in one channel; Gray makes it one")
	require(p.Bits == 0 || p.Bits == 8 || p.Bits == 16, "Bits is not 8 or 16")
	require(p.Intake <= Blend, "an unknown Intake")
	require(p.Channels == 4 || p.Intake == AsIs, "Intake of alpha in pixels that have none")
	require(p.Channels == 3 || p.Intake != AsIs || !p.Gray, "Gray of pixels that are not RGB")
	require(!p.Premultiply || p.channels() == 4 && !p.deep(), "Premultiply of other than 4 channels of 8 bits")
	require(p.OutChannels != 1 || !p.Swap, "Swap of one channel")
	require(0 <= p.Orientation && p.Orientation <= 8, "Orientation is not in 1..8")

	width, height := p.upright()
	require(0 <= p.Left && p.Left < p.Right && p.Right <= width, "columns [Left, Right) are not in the image")
	require(p.H.In == p.Right-p.Left, "H.In is not Right - Left")
	require(0 <= p.Top && p.Top < height && 1 <= p.V.In && p.V.In <= height-p.Top,
		"V.In rows from Top on are not in the image")
	require(1 <= p.H.Out && p.X >= 0 && p.H.Out <= p.CanvasWidth-p.X, "H.Out columns from X on are not in the canvas")
	require(1 <= p.V.Out && p.Y >= 0 && p.V.Out <= p.CanvasHeight-p.Y, "V.Out rows from Y on are not in the canvas")
	for _, axis := range [...]*Axis{&p.H, &p.V} {
		what := axis.problem(p.deep())
		require(what == "", what)
	}

	isFloat := p.DType == spool.Float16 || p.DType == spool.BFloat16 || p.DType == spool.Float32
	require(p.DType == spool.Uint8 || p.DType == spool.Uint16 || isFloat,
		"DType is not uint8, uint16, float16, bfloat16 or float32")
	require(p.Layout == spool.HWC || p.Layout == spool.CHW, "Layout is not HWC or CHW")
	for _, values := range [][]float32{p.Mean, p.Std} {
		require(len(values) == 0 || isFloat, "Mean or Std of integers")
		require(len(values) <= 1 || len(values) == p.OutChannels, "Mean or Std for another number of channels")
	}
	require(!slices.Contains(p.Std, 0), "Std of 0")
	return bad.Err()
}
