package kernel_test

import (
	"math/rand/v2"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/kernel"
)

// pick is one of the values.
func pick[T any](r *rand.Rand, values ...T) T { return values[r.IntN(len(values))] }

// extent is a length between 1 and limit: often short, sometimes long.
func extent(r *rand.Rand, limit int) int { return 1 + r.IntN(pick(r, 4, 20, limit)) }

// randomAxis is an axis over in inputs: the identity, a filter, or taps without sense.
func randomAxis(r *rand.Rand, in int, inOrder bool) kernel.Axis {
	out := extent(r, 150)
	switch r.IntN(4) {
	case 0:
		return kernel.Axis{In: in, Out: in}
	case 1:
		return makeAxis(in, out, bilinear)
	case 2:
		return makeAxis(in, out, bicubic)
	}
	return randomTaps(r, in, out, inOrder)
}

// randomTaps are windows of any place, length and weights, as large as the rule on overflow allows.
func randomTaps(r *rand.Rand, in, out int, inOrder bool) kernel.Axis {
	a := kernel.Axis{In: in, Out: out, Stride: 1 + r.IntN(in), Precision: 1 + r.IntN(22)}
	a.Weights = make([]int16, out*a.Stride)
	for i := range a.Weights {
		a.Weights[i] = int16(r.Uint32()) // also beyond the window, where nobody may read it
	}
	for i := range out {
		count := 1 + r.IntN(a.Stride)
		start := r.IntN(in - count + 1)
		if inOrder && i > 0 {
			start = max(start, int(a.Start[i-1]))
			count = max(min(count, in-start), int(a.Start[i-1]+a.Count[i-1])-start)
			count = min(count, a.Stride)
			start = max(start, int(a.Start[i-1]+a.Count[i-1])-count)
		}
		room := (int64(1)<<31 - 1 - int64(1)<<(a.Precision-1)) / 255
		for k := range count {
			w := &a.Weights[i*a.Stride+k]
			if cost := max(int64(*w), -int64(*w)); cost > room {
				*w = int16(room / 2)
			}
			room -= max(int64(*w), -int64(*w))
		}
		a.Start, a.Count = append(a.Start, int32(start)), append(a.Count, int32(count))
	}
	return a
}

// randomPlan is any valid plan over a picture whose sides are at most limit.
func randomPlan(r *rand.Rand, limit int) *kernel.Plan {
	p := &kernel.Plan{
		Width: extent(r, limit), Height: extent(r, limit), Channels: pick(r, 1, 3, 3, 4),
		Layout: pick(r, spool.HWC, spool.HWC, spool.CHW),
		DType:  pick(r, spool.Uint8, spool.Uint8, spool.Uint8, spool.Float16, spool.Float32),
	}
	channels := p.Channels
	switch {
	case p.Channels == 4 && r.IntN(2) == 0:
		p.Intake, channels = pick(r, kernel.DropAlpha, kernel.Blend), 3
	case p.Channels == 3 && r.IntN(4) == 0:
		p.Intake, channels = kernel.Gray, 1
	}
	p.Left, p.Top, p.Right = 0, 0, p.Width
	rows := p.Height
	if r.IntN(2) == 0 {
		p.Left, p.Top = r.IntN(p.Width), r.IntN(p.Height)
		p.Right = p.Left + 1 + r.IntN(p.Width-p.Left)
		rows = 1 + r.IntN(p.Height-p.Top)
	}
	p.H, p.V = randomAxis(r, p.Right-p.Left, false), randomAxis(r, rows, true)
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
	if p.DType != spool.Uint8 {
		p.Mean, p.Std = randomValues(r, p.OutChannels), randomValues(r, p.OutChannels)
	}
	return p
}

// randomValues are nil, one or n values that are not 0.
func randomValues(r *rand.Rand, n int) []float32 {
	values := make([]float32, pick(r, 0, 1, n))
	for i := range values {
		values[i] = pick(r, 1, float32(0.001), 1000, 1e-7) * (r.Float32() + 0.1)
	}
	return values
}

// randomPicture is noise, or areas of black and white whose edges overshoot.
func randomPicture(r *rand.Rand, width, height, channels int) picture {
	p := newPicture(width, height, channels)
	noise := r.IntN(2) == 0
	for i := range p.pixels {
		p.pixels[i] = uint8(r.Uint32())
		if !noise {
			p.pixels[i] = uint8(int8(p.pixels[i]) >> 7)
		}
	}
	return p
}
