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
	Width, Height, Channels int // of the rows that will be pushed: 1, 3 or 4 channels, uint8, interleaved
	Intake                  Intake
	Background              [3]uint8 // for Blend: the colour behind the pixels, RGB

	Left, Right int  // columns [Left, Right) are used; H.In of them
	Top         int  // rows from Top on are used; V.In of them
	H, V        Axis // V's windows begin and end in the order of its outputs

	CanvasWidth, CanvasHeight int      // of the output
	X, Y                      int      // where the picture of H.Out x V.Out pixels lies in it
	Pad                       [4]uint8 // the colour around it: RGBA, or gray, black, ... as the picture would have it

	// OutChannels is the number of channels of the output. Gray is repeated in 3 channels, alpha is opaque
	// where the picture has none, and dropped where the output has none.
	OutChannels int
	Swap        bool // BGR instead of RGB; alpha stays last

	DType     spool.DType  // Uint8, Float16 or Float32
	Layout    spool.Layout // HWC or CHW
	Mean, Std []float32    // for the float types: (x/255 - mean) / std, one value or one for each output channel; nil: x/255
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
	require := func(ok bool, format string, args ...any) {
		if !ok {
			problems = append(problems, fmt.Errorf("%w: kernel: "+format, append([]any{spool.ErrOptions}, args...)...))
		}
	}
	extent := func(n int) bool { return 1 <= n && n <= maxSize }

	require(extent(p.Width) && extent(p.Height), "picture of %dx%d", p.Width, p.Height)
	require(extent(p.CanvasWidth) && extent(p.CanvasHeight), "canvas of %dx%d", p.CanvasWidth, p.CanvasHeight)
	require(p.Channels == 1 || p.Channels == 3 || p.Channels == 4, "%d channels", p.Channels)
	require(p.OutChannels == 1 || p.OutChannels == 3 || p.OutChannels == 4, "%d output channels", p.OutChannels)
	require(p.OutChannels != 1 || p.channels() == 1, "%d channels cannot become 1", p.channels())
	switch p.Intake {
	case AsIs:
	case DropAlpha, Blend:
		require(p.Channels == 4, "no alpha in %d channels", p.Channels)
	case Gray:
		require(p.Channels == 3, "luma of %d channels", p.Channels)
	default:
		require(false, "intake %d", p.Intake)
	}
	require(!p.Swap || p.OutChannels != 1, "one channel cannot be swapped")

	require(0 <= p.Left && p.Left < p.Right && p.Right <= p.Width, "columns [%d, %d) of %d", p.Left, p.Right, p.Width)
	require(p.H.In == p.Right-p.Left, "a horizontal axis over %d of %d columns", p.H.In, p.Right-p.Left)
	require(0 <= p.Top && p.Top < p.Height && extent(p.V.In) && p.V.In <= p.Height-p.Top, "%d rows from %d of %d", p.V.In, p.Top, p.Height)
	require(extent(p.H.Out) && p.X >= 0 && p.H.Out <= p.CanvasWidth-p.X, "columns [%d, %d+%d) of a canvas of %d", p.X, p.X, p.H.Out, p.CanvasWidth)
	require(extent(p.V.Out) && p.Y >= 0 && p.V.Out <= p.CanvasHeight-p.Y, "rows [%d, %d+%d) of a canvas of %d", p.Y, p.Y, p.V.Out, p.CanvasHeight)
	for _, axis := range []*Axis{&p.H, &p.V} {
		if err := axis.validate(); err != nil {
			problems = append(problems, err)
		}
	}
	inOrder := slices.IsSorted(p.V.Start)
	for i := 1; i < len(p.V.Count) && i < len(p.V.Start); i++ {
		inOrder = inOrder && p.V.Start[i-1]+p.V.Count[i-1] <= p.V.Start[i]+p.V.Count[i]
	}
	require(inOrder, "the windows of the vertical axis are out of order")

	isFloat := p.DType == spool.Float16 || p.DType == spool.Float32
	require(p.DType == spool.Uint8 || isFloat, "output of %v", p.DType)
	require(p.Layout == spool.HWC || p.Layout == spool.CHW, "output of layout %v", p.Layout)
	for _, values := range [][]float32{p.Mean, p.Std} {
		require(len(values) == 0 || isFloat, "mean and std of %v", p.DType)
		require(len(values) <= 1 || len(values) == p.OutChannels, "%d values of mean or std for %d channels", len(values), p.OutChannels)
	}
	require(!slices.Contains(p.Std, 0), "a std of 0")
	return errors.Join(problems...)
}

// validate reports the first thing that is wrong with the taps.
func (a *Axis) validate() error {
	wrong := func(format string, args ...any) error {
		return fmt.Errorf("%w: kernel: "+format, append([]any{spool.ErrOptions}, args...)...)
	}
	if a.Start == nil {
		if a.In != a.Out {
			return wrong("an axis from %d to %d without taps", a.In, a.Out)
		}
		return nil
	}
	if len(a.Start) != a.Out || len(a.Count) != a.Out || a.Stride < 1 || a.Stride > maxSize || len(a.Weights) < a.Out*a.Stride {
		return wrong("an axis of %d outputs with %d starts, %d counts and %d weights, %d apart", a.Out, len(a.Start), len(a.Count), len(a.Weights), a.Stride)
	}
	if a.Precision < 1 || a.Precision > 22 {
		return wrong("precision %d", a.Precision)
	}
	for i, start := range a.Start {
		count := a.Count[i]
		if start < 0 || count < 1 || int(count) > a.Stride || int(start)+int(count) > a.In {
			return wrong("window %d+%d of output %d in an axis of %d", start, count, i, a.In)
		}
		sum := int64(0)
		for _, w := range a.Weights[i*a.Stride:][:count] {
			sum += max(int64(w), -int64(w))
		}
		if sum*255+1<<(a.Precision-1) > math.MaxInt32 {
			return wrong("the weights of output %d are too large", i)
		}
	}
	return nil
}

// taps is the length of the longest window, 0 for the identity.
func (a *Axis) taps() int {
	if a.Start == nil {
		return 0
	}
	return int(slices.Max(a.Count))
}
