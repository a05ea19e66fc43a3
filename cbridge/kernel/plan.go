package kernel

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/spoolmedia/spool"
)

// maxSize bounds every extent, so that no size computed from a valid plan overflows.
const maxSize = 1 << 28

// Axis is one axis of a resize: output i is the sum of Weights[i*Stride+k] * input[Start[i]+k] over
// 0 <= k < Count[i], plus half of 2^Precision, shifted right by Precision and clamped to 0..255.
// An axis without taps (Start is nil) is the identity, with In == Out.
//
// The absolute weights of an output, times 255, plus half of 2^Precision have to be below 2^31, so that
// no sum overflows; weights that add up to about 2^Precision, at a precision of at most 22, are far from it.
type Axis struct {
	In, Out      int
	Start, Count []int32
	Weights      []int16
	Wide         []int32 // instead of Weights: 22 bits as Pillow has them, or 30 for samples of 16 bits
	Stride       int
	Precision    int
}

// Intake is what is done to a row before anything else.
type Intake uint8

const (
	AsIs      Intake = iota // nothing
	DropAlpha               // 4 channels to 3, without blending
	Blend                   // 4 channels to 3, over Plan.Background
	Gray                    // 3 channels to 1: ITU-R 601 luma, (19595R + 38470G + 7471B + 32768) >> 16, as Pillow has it
)

// Plan says what a sink does with a picture. It is only read, and only by ScratchBytes and NewSink.
type Plan struct {
	Width, Height, Channels int // of the rows that will be pushed: 1, 3 or 4 channels, interleaved
	Bits                    int // of their samples: 8, which 0 means as well, or 16 in the machine's byte order
	Intake                  Intake
	Background              [3]uint8 // for Blend: the colour behind the pixels, RGB

	// Orientation is how EXIF says that the rows are stored, 1 to 8; 0 is 1. All that follows is about the
	// upright picture.
	Orientation int

	Left, Right int  // columns [Left, Right) are used; H.In of them
	Top         int  // rows from Top on are used; V.In of them
	H, V        Axis // V's windows begin and end in the order of its outputs

	// VerticalFirst runs the pass of V before that of H. Rounding and clamping between them make a difference.
	VerticalFirst bool

	CanvasWidth, CanvasHeight int      // of the output
	X, Y                      int      // where the picture of H.Out x V.Out pixels lies in it
	Pad                       [4]uint8 // the colour around it: RGBA, or gray, black, ... as the picture would have it
	FlipX, FlipY              bool     // the canvas is mirrored, left to right or top to bottom

	// OutChannels is the number of channels of the output. Gray is repeated in 3 channels, alpha is opaque
	// where the picture has none, and dropped where the output has none.
	OutChannels int
	Swap        bool // BGR instead of RGB; alpha stays last

	DType  spool.DType  // Uint8, Float16 or Float32
	Layout spool.Layout // HWC or CHW

	// Mean and Std are for the float types: (x/255 - mean) / std in float32 arithmetic, float16 rounded
	// from that. They have one value for all output channels or one for each; nil is 0 and 1.
	Mean, Std []float32
}

// channels is the number of channels after intake.
func (p *Plan) channels() int {
	switch p.Intake {
	case DropAlpha, Blend:
		return 3
	case Gray:
		return 1
	}
	return p.Channels
}

// bytes is the size of the output.
func (p *Plan) bytes() int { return p.CanvasWidth * p.CanvasHeight * p.OutChannels * p.DType.Size() }

// validate reports everything that is wrong with the plan.
func (p *Plan) validate() error {
	var problems []error
	require := func(ok bool, what string) {
		if !ok {
			problems = append(problems, fmt.Errorf("%w: kernel: %s", spool.ErrOptions, what))
		}
	}
	extent := func(n int) bool { return 1 <= n && n <= maxSize }

	require(extent(p.Width) && extent(p.Height), "Width or Height out of range")
	require(extent(p.CanvasWidth) && extent(p.CanvasHeight), "CanvasWidth or CanvasHeight out of range")
	require(p.Channels == 1 || p.Channels == 3 || p.Channels == 4, "Channels is not 1, 3 or 4")
	require(p.OutChannels == 1 || p.OutChannels == 3 || p.OutChannels == 4, "OutChannels is not 1, 3 or 4")
	require(p.OutChannels != 1 || p.channels() == 1, "colour cannot be stored in one channel; Intake Gray makes it one")
	require(p.Intake <= Gray, "an unknown Intake")
	unfinished := p.Bits == 16 || p.Orientation > 1 || p.VerticalFirst || p.FlipX || p.FlipY || p.H.Wide != nil || p.V.Wide != nil
	require(!unfinished, "Bits, Orientation, VerticalFirst, Flip and Wide are not built yet")
	require(p.Channels == 4 || p.Intake != DropAlpha && p.Intake != Blend, "Intake of alpha in pixels that have none")
	require(p.Channels == 3 || p.Intake != Gray, "Intake Gray of pixels that are not RGB")
	require(p.OutChannels != 1 || !p.Swap, "Swap of one channel")

	require(0 <= p.Left && p.Left < p.Right && p.Right <= p.Width, "columns [Left, Right) are not in the picture")
	require(p.H.In == p.Right-p.Left, "H.In is not Right - Left")
	require(0 <= p.Top && p.Top < p.Height && 1 <= p.V.In && p.V.In <= p.Height-p.Top,
		"V.In rows from Top on are not in the picture")
	require(1 <= p.H.Out && p.X >= 0 && p.H.Out <= p.CanvasWidth-p.X, "H.Out columns from X on are not in the canvas")
	require(1 <= p.V.Out && p.Y >= 0 && p.V.Out <= p.CanvasHeight-p.Y, "V.Out rows from Y on are not in the canvas")
	for _, axis := range [...]*Axis{&p.H, &p.V} {
		what := axis.problem()
		require(what == "", what)
	}
	require(p.V.inOrder(), "the windows of V are out of order")

	isFloat := p.DType == spool.Float16 || p.DType == spool.Float32
	require(p.DType == spool.Uint8 || isFloat, "DType is not uint8, float16 or float32")
	require(p.Layout == spool.HWC || p.Layout == spool.CHW, "Layout is not HWC or CHW")
	for _, values := range [][]float32{p.Mean, p.Std} {
		require(len(values) == 0 || isFloat, "Mean or Std of integers")
		require(len(values) <= 1 || len(values) == p.OutChannels, "Mean or Std for another number of channels")
	}
	require(!slices.Contains(p.Std, 0), "Std of 0")
	return errors.Join(problems...)
}

// problem is what is wrong with the taps, or empty.
func (a *Axis) problem() string {
	if a.Start == nil {
		if a.In != a.Out {
			return "an axis without taps from one size to another"
		}
		return ""
	}
	if len(a.Start) != a.Out || len(a.Count) != a.Out {
		return "an axis with Start or Count for another number of outputs"
	}
	if a.Stride < 1 || a.Stride > maxSize || len(a.Weights) < a.Out*a.Stride {
		return "an axis with Weights too short for Out and Stride"
	}
	if a.Precision < 1 || a.Precision > 22 {
		return "an axis whose Precision is not in 1..22"
	}
	for i, start := range a.Start {
		count := int(a.Count[i])
		if start < 0 || count < 1 || count > a.Stride || int(start)+count > a.In {
			return "an axis with a window beyond its input or longer than Stride"
		}
		if count > safeTaps && a.overflows(a.Weights[i*a.Stride:][:count]) {
			return "an axis with weights whose sum could overflow"
		}
	}
	return ""
}

// safeTaps is the longest window that cannot overflow, whatever its weights and precision.
const safeTaps = (math.MaxInt32 - 1<<21) / (1 << 15 * 255)

func (a *Axis) overflows(weights []int16) bool {
	sum := int64(0)
	for _, w := range weights {
		sum += max(int64(w), -int64(w))
	}
	return sum*255+1<<(a.Precision-1) > math.MaxInt32
}

// inOrder reports whether windows begin and end in the order of their outputs.
func (a *Axis) inOrder() bool {
	for i := 1; i < min(len(a.Start), len(a.Count)); i++ {
		if a.Start[i] < a.Start[i-1] || a.Start[i]+a.Count[i] < a.Start[i-1]+a.Count[i-1] {
			return false
		}
	}
	return true
}

// taps is the length of the longest window, 0 for the identity.
func (a *Axis) taps() int {
	if a.Start == nil {
		return 0
	}
	return int(slices.Max(a.Count))
}
