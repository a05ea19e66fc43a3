package kernel_test

import (
	"encoding/binary"
	"math"
	"slices"
	"sort"
	"sync"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/kernel"
)

// raster is the reference model of the package: whole images, one operation after another.
type raster[S sample] struct {
	width, height, channels int
	pixels                  []S
}

type sample interface{ uint8 | uint16 }

// image is a raster with 8-bit samples.
type image = raster[uint8]

func newRaster[S sample](width, height, channels int) raster[S] {
	return raster[S]{width, height, channels, make([]S, width*height*channels)}
}

func newImage(width, height, channels int) image {
	return newRaster[uint8](width, height, channels)
}

// top returns the highest value of a sample.
func (p raster[S]) top() int { return int(^S(0)) }

func (p raster[S]) at(x, y int) []S {
	i := (y*p.width + x) * p.channels
	return p.pixels[i : i+p.channels]
}

// rows returns the rows [first, last) as they are pushed.
func (p raster[S]) rows(first, last int) []byte {
	out, err := binary.Append(nil, binary.NativeEndian, p.pixels[first*p.width*p.channels:last*p.width*p.channels])
	if err != nil {
		panic(err)
	}
	return out
}

// each makes an image pixel by pixel.
func each[S sample](width, height, channels int, pixel func(x, y int, out []S)) raster[S] {
	q := newRaster[S](width, height, channels)
	for y := range height {
		for x := range width {
			pixel(x, y, q.at(x, y))
		}
	}
	return q
}

// output returns the plan's expected result for the stored image p, as bytes.
func (p raster[S]) output(plan *kernel.Plan) []byte {
	if p.top() == 65535 && plan.DType == spool.Uint8 {
		high := newRaster[uint8](p.width, p.height, p.channels)
		for i, v := range p.pixels {
			high.pixels[i] = uint8(int(v) >> 8)
		}
		return high.output(plan)
	}
	p = p.orient(max(plan.Orientation, 1)).intake(plan)
	p = each(plan.H.In, plan.V.In, p.channels, func(x, y int, out []S) { copy(out, p.at(plan.Left+x, plan.Top+y)) })
	if plan.VerticalFirst {
		p = p.vertical(&plan.V).horizontal(&plan.H)
	} else {
		p = p.horizontal(&plan.H).vertical(&plan.V)
	}
	if plan.Premultiply {
		p = each(p.width, p.height, 4, func(x, y int, out []S) {
			copy(out, p.at(x, y))
			for c, v := range out[:3] {
				if alpha := int(out[3]); alpha > 0 {
					out[c] = S(min(255*int(v)/alpha, 255))
				}
			}
		})
	}
	return p.store(plan)
}

func (p raster[S]) intake(plan *kernel.Plan) raster[S] {
	switch plan.Intake {
	case kernel.DropAlpha:
		p = each(p.width, p.height, 3, func(x, y int, out []S) { copy(out, p.at(x, y)) })
	case kernel.Blend:
		p = each(p.width, p.height, 3, func(x, y int, out []S) {
			in, top := p.at(x, y), p.top()
			for c := range out {
				sum := int(in[c])*int(in[3]) + int(plan.Background[c])*top/255*(top-int(in[3]))
				out[c] = S(math.Round(float64(sum) / float64(top)))
			}
		})
	}
	if plan.Premultiply {
		p = each(p.width, p.height, 4, func(x, y int, out []S) {
			copy(out, p.at(x, y))
			for c, v := range out[:3] {
				out[c] = S(math.Round(float64(v) * float64(out[3]) / 255))
			}
		})
	}
	if plan.Gray {
		p = each(p.width, p.height, 1, func(x, y int, out []S) {
			in := p.at(x, y)
			out[0] = S((19595*int(in[0]) + 38470*int(in[1]) + 7471*int(in[2]) + 32768) >> 16)
		})
	}
	return p
}

// weigh computes one output of an axis by the definition of Axis; in returns the axis's inputs.
func (p raster[S]) weigh(a *kernel.Axis, i int, in func(i int) S) S {
	sum := 1 << (a.Precision - 1)
	for k := range int(a.Count[i]) {
		at, v := i*a.Stride+k, int(in(int(a.Start[i])+k))
		if a.Wide != nil {
			sum += int(a.Wide[at]) * v
		} else {
			sum += int(a.Weights[at]) * v
		}
	}
	return S(min(max(sum>>a.Precision, 0), p.top()))
}

func (p raster[S]) horizontal(a *kernel.Axis) raster[S] {
	if a.Start == nil {
		return p
	}
	return each(a.Out, p.height, p.channels, func(x, y int, out []S) {
		for c := range out {
			out[c] = p.weigh(a, x, func(i int) S { return p.at(i, y)[c] })
		}
	})
}

func (p raster[S]) vertical(a *kernel.Axis) raster[S] {
	if a.Start == nil {
		return p
	}
	return each(p.width, a.Out, p.channels, func(x, y int, out []S) {
		for c := range out {
			out[c] = p.weigh(a, y, func(i int) S { return p.at(x, i)[c] })
		}
	})
}

func (p raster[S]) store(plan *kernel.Plan) []byte {
	canvas := each(plan.CanvasWidth, plan.CanvasHeight, plan.OutChannels, func(x, y int, out []S) {
		var rgba [4]S
		if plan.FlipX {
			x = plan.CanvasWidth - 1 - x
		}
		if plan.FlipY {
			y = plan.CanvasHeight - 1 - y
		}
		x, y = x-plan.X, y-plan.Y
		switch inside := x >= 0 && x < p.width && y >= 0 && y < p.height; {
		case !inside:
			for c, v := range plan.Pad {
				rgba[c] = S(int(v) * (p.top() / 255))
			}
		case p.channels == 1:
			v := p.at(x, y)[0]
			rgba = [4]S{v, v, v, S(p.top())}
		default:
			rgba[3] = S(p.top())
			copy(rgba[:], p.at(x, y))
		}
		if plan.Swap {
			rgba[0], rgba[2] = rgba[2], rgba[0]
		}
		copy(out, rgba[:])
	})
	var out []byte
	put := func(x, y, c int) { out = canvas.appendElement(out, plan, c, canvas.at(x, y)[c]) }
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

func (p raster[S]) appendElement(out []byte, plan *kernel.Plan, channel int, v S) []byte {
	switch plan.DType {
	case spool.Uint8:
		return append(out, uint8(v))
	case spool.Uint16:
		return binary.NativeEndian.AppendUint16(out, uint16(v)*uint16(65535/p.top()))
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
	f := (float32(v)/float32(p.top()) - pick(plan.Mean, 0)) / pick(plan.Std, 1)
	if plan.DType == spool.Float32 {
		return binary.NativeEndian.AppendUint32(out, math.Float32bits(f))
	}
	if plan.DType == spool.BFloat16 {
		return binary.NativeEndian.AppendUint16(out, nearestBrain(f))
	}
	return binary.NativeEndian.AppendUint16(out, nearestHalf(f))
}

// nearestBrain returns the bfloat16 nearest to f, ties to even, of the two next to it.
func nearestBrain(f float32) uint16 {
	bits := math.Float32bits(f)
	below := uint16(bits >> 16) // toward zero
	if math.IsNaN(float64(f)) {
		return below&0x8000 | 0x7fc0
	}
	value := func(b uint16) float64 {
		if b&0x7fff == 0x7f80 { // the next number, if the exponent had no end
			return math.Copysign(math.Ldexp(1, 128), float64(f))
		}
		return float64(math.Float32frombits(uint32(b) << 16))
	}
	if math.IsInf(float64(f), 0) {
		return below
	}
	down, up := math.Abs(float64(f)-value(below)), math.Abs(value(below+1)-float64(f))
	if down < up || down == up && below%2 == 0 {
		return below
	}
	return below + 1
}

// halves holds the values of all non-negative finite binary16 numbers, in order; the index is the bit pattern.
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

// nearestHalf returns the binary16 nearest to f, ties to even, found by search.
func nearestHalf(f float32) uint16 {
	if math.IsNaN(float64(f)) {
		return 0x7e00 | uint16(math.Float32bits(f)>>16&0x8000)
	}
	var sign uint16
	if math.Signbit(float64(f)) {
		sign = 0x8000
	}
	magnitude := math.Abs(float64(f))
	if magnitude >= 65520 { // halfway to the next value, which would be infinite
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

// orient returns the image turned by EXIF orientation o.
func (p raster[S]) orient(o int) raster[S] {
	mirror := func(p raster[S]) raster[S] {
		return each(p.width, p.height, p.channels, func(x, y int, out []S) { copy(out, p.at(p.width-1-x, y)) })
	}
	rotate := func(p raster[S]) raster[S] { // clockwise
		return each(p.height, p.width, p.channels, func(x, y int, out []S) { copy(out, p.at(y, p.height-1-x)) })
	}
	// For each orientation, the steps that bring the stored image upright.
	steps := map[int][]func(raster[S]) raster[S]{
		1: nil, 2: {mirror}, 3: {rotate, rotate}, 4: {rotate, rotate, mirror},
		5: {rotate, mirror}, 6: {rotate}, 7: {mirror, rotate}, 8: {rotate, rotate, rotate},
	}
	for _, step := range steps[o] {
		p = step(p)
	}
	return p
}

// filled returns the image with its rows from `from` on in a color, or in the luma of it.
func (p raster[S]) filled(from int, color [3]uint8) input {
	q := raster[S]{p.width, p.height, p.channels, slices.Clone(p.pixels)}
	rgba := []int{int(color[0]), int(color[1]), int(color[2]), 255}
	if p.channels == 1 {
		rgba[0] = (19595*rgba[0] + 38470*rgba[1] + 7471*rgba[2] + 32768) >> 16
	}
	for i := from * p.width * p.channels; i < len(q.pixels); i++ {
		q.pixels[i] = S(rgba[i%p.channels] * (p.top() / 255))
	}
	return q
}
