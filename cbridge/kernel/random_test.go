package kernel_test

import (
	"math/rand/v2"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/kernel"
)

// pick returns one of the values.
func pick[T any](r *rand.Rand, values ...T) T { return values[r.IntN(len(values))] }

// extent returns a length between 1 and limit: often short, sometimes long.
func extent(r *rand.Rand, limit int) int { return 1 + r.IntN(pick(r, 4, 20, limit)) }

// randomAxis returns an axis over `in` inputs: the identity, a filter, or arbitrary taps.
func randomAxis(r *rand.Rand, in int, deep bool) kernel.Axis {
	out := extent(r, 150)
	switch r.IntN(4) {
	case 0:
		return kernel.Axis{In: in, Out: in}
	case 1:
		return pick(r, makeAxis, makeShortAxis)(in, out, bilinear)
	case 2:
		return makeWideAxis(in, out, bicubic, 22)
	}
	return randomTaps(r, in, out, deep)
}

// randomTaps returns windows of any place, length and weights, as large as the overflow rule allows.
func randomTaps(r *rand.Rand, in, out int, deep bool) kernel.Axis {
	a := kernel.Axis{In: in, Out: out, Stride: 1 + r.IntN(in), Precision: 1 + r.IntN(22)}
	room := (int64(1)<<31 - 1 - int64(1)<<(a.Precision-1)) / 255
	if deep {
		a.Precision = 1 + r.IntN(30)
		room = int64(1) << 45
	}
	wide := r.IntN(2) == 0
	if wide {
		a.Wide = make([]int32, out*a.Stride)
	} else {
		a.Weights = make([]int16, out*a.Stride)
	}
	for i := range a.Weights {
		a.Weights[i] = int16(r.Uint32()) // also beyond the window, where no code may read it
	}
	for i := range a.Wide {
		a.Wide[i] = int32(r.Uint32()) >> r.IntN(20)
	}
	for i := range out {
		count := 1 + r.IntN(a.Stride)
		start := r.IntN(in - count + 1)
		if i > 0 {
			start = max(start, int(a.Start[i-1]))
			count = max(min(count, in-start), int(a.Start[i-1]+a.Count[i-1])-start)
			count = min(count, a.Stride)
			start = max(start, int(a.Start[i-1]+a.Count[i-1])-count)
		}
		left := room
		for k := range count {
			at := i*a.Stride + k
			if wide {
				a.Wide[at] = int32(limit(int64(a.Wide[at]), &left))
			} else {
				a.Weights[at] = int16(limit(int64(a.Weights[at]), &left))
			}
		}
		a.Start, a.Count = append(a.Start, int32(start)), append(a.Count, int32(count))
	}
	return a
}

// limit returns the weight, or half of left if the weight exceeds left. It subtracts the result from left.
func limit(weight int64, left *int64) int64 {
	if max(weight, -weight) > *left {
		weight = *left / 2
	}
	*left -= max(weight, -weight)
	return weight
}

// randomPlan returns any valid plan for an image whose sides are at most limit.
func randomPlan(r *rand.Rand, limit int) *kernel.Plan {
	return randomPlanOf(r, kernel.Plan{Width: extent(r, limit), Height: extent(r, limit),
		Channels: pick(r, 1, 3, 3, 4), Bits: pick(r, 0, 8, 16)})
}

// randomPlanOf returns a plan for images of the size and format of another.
func randomPlanOf(r *rand.Rand, of kernel.Plan) *kernel.Plan {
	p := &kernel.Plan{
		Width: of.Width, Height: of.Height, Channels: of.Channels, Bits: of.Bits,
		Layout: pick(r, spool.HWC, spool.HWC, spool.CHW),
		DType: pick(r, spool.Uint8, spool.Uint8, spool.Uint8, spool.Uint16, spool.Float16, spool.BFloat16,
			spool.Float32),
		Orientation: pick(r, 0, r.IntN(9)), VerticalFirst: r.IntN(2) == 0, FlipX: r.IntN(4) == 0, FlipY: r.IntN(4) == 0,
	}
	channels := p.Channels
	if p.Channels == 4 && r.IntN(2) == 0 {
		p.Intake, channels = pick(r, kernel.DropAlpha, kernel.Blend), 3
	}
	if channels == 3 && r.IntN(4) == 0 {
		p.Gray, channels = true, 1
	}
	width, rows := p.Width, p.Height
	if p.Orientation >= 5 {
		width, rows = rows, width
	}
	p.Left, p.Top, p.Right = 0, 0, width
	if r.IntN(2) == 0 {
		p.Left, p.Top = r.IntN(width), r.IntN(rows)
		p.Right = p.Left + 1 + r.IntN(width-p.Left)
		rows = 1 + r.IntN(rows-p.Top)
	}
	deep := p.Bits == 16 && p.DType != spool.Uint8
	p.SetRing(pick(r, 0, 1))
	p.Premultiply = channels == 4 && !deep && r.IntN(4) == 0
	p.H, p.V = randomAxis(r, p.Right-p.Left, deep), randomAxis(r, rows, deep)
	p.CanvasWidth, p.CanvasHeight = p.H.Out, p.V.Out
	if r.IntN(3) == 0 {
		p.X, p.Y = r.IntN(10), r.IntN(10)
		p.CanvasWidth += p.X + r.IntN(10)
		p.CanvasHeight += p.Y + r.IntN(10)
	}
	p.OutChannels = pick(r, channels, channels, 3, 4)
	p.Swap = p.OutChannels > 1 && r.IntN(3) == 0
	for i := range p.Pad {
		p.Pad[i] = uint8(r.Uint32())
	}
	for i := range p.Background {
		p.Background[i] = uint8(r.Uint32())
	}
	if p.DType == spool.Float16 || p.DType == spool.BFloat16 || p.DType == spool.Float32 {
		p.Mean, p.Std = randomValues(r, p.OutChannels), randomValues(r, p.OutChannels)
	}
	return p
}

// randomValues returns nil, one or n values that are not 0.
func randomValues(r *rand.Rand, n int) []float32 {
	values := make([]float32, pick(r, 0, 1, n))
	for i := range values {
		values[i] = pick(r, 1, float32(0.001), 1000, 1e-7) * (r.Float32() + 0.1)
	}
	return values
}

// randomImage returns noise, or areas of black and white whose edges overshoot.
func randomImage(r *rand.Rand, width, height, channels int) image {
	return randomRaster[uint8](r, width, height, channels)
}

func randomRaster[S sample](r *rand.Rand, width, height, channels int) raster[S] {
	p := newRaster[S](width, height, channels)
	noise := r.IntN(2) == 0
	for i := range p.pixels {
		p.pixels[i] = S(r.Uint32())
		if !noise {
			p.pixels[i] = -(p.pixels[i] & 1)
		}
	}
	return p
}

// input is an image with samples of either size.
type input interface {
	rows(first, last int) []byte
	output(plan *kernel.Plan) []byte
	filled(from int, color [3]uint8) input
}

// randomInput returns an image for the plan.
func randomInput(r *rand.Rand, p *kernel.Plan) input {
	if p.Bits == 16 {
		return randomRaster[uint16](r, p.Width, p.Height, p.Channels)
	}
	return randomRaster[uint8](r, p.Width, p.Height, p.Channels)
}
