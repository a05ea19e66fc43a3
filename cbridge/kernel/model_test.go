package kernel_test

import (
	"math"
	"sort"
	"sync"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/kernel"
)

// picture is the plain model of what the package computes: whole pictures, one operation after the other.
type picture struct {
	width, height, channels int
	pixels                  []uint8
}

func newPicture(width, height, channels int) picture {
	return picture{width, height, channels, make([]uint8, width*height*channels)}
}

func (p picture) at(x, y int) []uint8 {
	i := (y*p.width + x) * p.channels
	return p.pixels[i : i+p.channels]
}

// each makes a picture pixel by pixel.
func each(width, height, channels int, pixel func(x, y int, out []uint8)) picture {
	q := newPicture(width, height, channels)
	for y := range height {
		for x := range width {
			pixel(x, y, q.at(x, y))
		}
	}
	return q
}

// output is what the plan should make of p, as bytes.
func (p picture) output(plan *kernel.Plan) []byte {
	p = p.intake(plan)
	p = each(plan.H.In, plan.V.In, p.channels, func(x, y int, out []uint8) { copy(out, p.at(plan.Left+x, plan.Top+y)) })
	p = p.horizontal(&plan.H)
	p = p.vertical(&plan.V)
	return p.store(plan)
}

func (p picture) intake(plan *kernel.Plan) picture {
	switch plan.Intake {
	case kernel.DropAlpha:
		return each(p.width, p.height, 3, func(x, y int, out []uint8) { copy(out, p.at(x, y)) })
	case kernel.Blend:
		return each(p.width, p.height, 3, func(x, y int, out []uint8) {
			in := p.at(x, y)
			for c := range out {
				sum := int(in[c])*int(in[3]) + int(plan.Background[c])*(255-int(in[3]))
				out[c] = uint8(math.Round(float64(sum) / 255))
			}
		})
	case kernel.Gray:
		return each(p.width, p.height, 1, func(x, y int, out []uint8) {
			in := p.at(x, y)
			out[0] = uint8((19595*int(in[0]) + 38470*int(in[1]) + 7471*int(in[2]) + 32768) >> 16)
		})
	}
	return p
}

// weigh is the rule of the arithmetic for one output of an axis, where in gives the axis's inputs.
func weigh(a *kernel.Axis, i int, in func(i int) uint8) uint8 {
	sum := 1 << (a.Precision - 1)
	for k := range int(a.Count[i]) {
		sum += int(a.Weights[i*a.Stride+k]) * int(in(int(a.Start[i])+k))
	}
	return uint8(min(max(sum>>a.Precision, 0), 255))
}

func (p picture) horizontal(a *kernel.Axis) picture {
	if a.Start == nil {
		return p
	}
	return each(a.Out, p.height, p.channels, func(x, y int, out []uint8) {
		for c := range out {
			out[c] = weigh(a, x, func(i int) uint8 { return p.at(i, y)[c] })
		}
	})
}

func (p picture) vertical(a *kernel.Axis) picture {
	if a.Start == nil {
		return p
	}
	return each(p.width, a.Out, p.channels, func(x, y int, out []uint8) {
		for c := range out {
			out[c] = weigh(a, y, func(i int) uint8 { return p.at(x, i)[c] })
		}
	})
}

func (p picture) store(plan *kernel.Plan) []byte {
	canvas := each(plan.CanvasWidth, plan.CanvasHeight, plan.OutChannels, func(x, y int, out []uint8) {
		var rgba [4]uint8
		x, y = x-plan.X, y-plan.Y
		switch inside := x >= 0 && x < p.width && y >= 0 && y < p.height; {
		case !inside:
			rgba = plan.Pad
		case p.channels == 1:
			v := p.at(x, y)[0]
			rgba = [4]uint8{v, v, v, 255}
		default:
			rgba[3] = 255
			copy(rgba[:], p.at(x, y))
		}
		if plan.Swap {
			rgba[0], rgba[2] = rgba[2], rgba[0]
		}
		copy(out, rgba[:])
	})
	var out []byte
	put := func(x, y, c int) { out = appendElement(out, plan, c, canvas.at(x, y)[c]) }
	if plan.Layout == spool.CHW {
		for c := range canvas.channels {
			for y := range canvas.height {
				for x := range canvas.width {
					put(x, y, c)
				}
			}
		}
		return out
	}
	for y := range canvas.height {
		for x := range canvas.width {
			for c := range canvas.channels {
				put(x, y, c)
			}
		}
	}
	return out
}

func appendElement(out []byte, plan *kernel.Plan, channel int, v uint8) []byte {
	if plan.DType == spool.Uint8 {
		return append(out, v)
	}
	pick := func(values []float32, none float32) float32 {
		switch len(values) {
		case 0:
			return none
		case 1:
			return values[0]
		}
		return values[channel]
	}
	f := (float32(v)/255 - pick(plan.Mean, 0)) / pick(plan.Std, 1)
	if plan.DType == spool.Float32 {
		bits := math.Float32bits(f)
		return append(out, byte(bits), byte(bits>>8), byte(bits>>16), byte(bits>>24))
	}
	bits := nearestHalf(f)
	return append(out, byte(bits), byte(bits>>8))
}

// halves are the values of all non-negative finite binary16 numbers, in order; index is the bit pattern.
var halves = sync.OnceValue(func() []float64 {
	values := make([]float64, 0x7c00)
	for bits := range values {
		exponent, fraction := bits>>10, float64(bits&0x3ff)
		if exponent == 0 {
			values[bits] = math.Ldexp(fraction, -24)
		} else {
			values[bits] = math.Ldexp(1024+fraction, exponent-25)
		}
	}
	return values
})

// nearestHalf is the binary16 nearest to f, the even one of two, found by search.
func nearestHalf(f float32) uint16 {
	if math.IsNaN(float64(f)) {
		return 0x7e00 | uint16(math.Float32bits(f)>>16&0x8000)
	}
	var sign uint16
	if math.Signbit(float64(f)) {
		sign = 0x8000
	}
	magnitude := math.Abs(float64(f))
	if magnitude >= 65520 { // halfway to what would be the next one
		return sign | 0x7c00
	}
	values := halves()
	above := sort.SearchFloat64s(values, magnitude)
	switch {
	case above == len(values):
		return sign | uint16(above-1)
	case above == 0 || values[above] == magnitude:
		return sign | uint16(above)
	}
	below := above - 1
	down, up := magnitude-values[below], values[above]-magnitude
	if down < up || down == up && below%2 == 0 {
		return sign | uint16(below)
	}
	return sign | uint16(above)
}

// orient is the picture as EXIF orientation o turns it.
func (p picture) orient(o int) picture {
	mirror := func(p picture) picture {
		return each(p.width, p.height, p.channels, func(x, y int, out []uint8) { copy(out, p.at(p.width-1-x, y)) })
	}
	rotate := func(p picture) picture { // clockwise
		return each(p.height, p.width, p.channels, func(x, y int, out []uint8) { copy(out, p.at(y, p.height-1-x)) })
	}
	// Each orientation by what brings the stored picture upright.
	steps := map[int][]func(picture) picture{
		1: nil, 2: {mirror}, 3: {rotate, rotate}, 4: {rotate, rotate, mirror},
		5: {rotate, mirror}, 6: {rotate}, 7: {mirror, rotate}, 8: {rotate, rotate, rotate},
	}
	for _, step := range steps[o] {
		p = step(p)
	}
	return p
}
