package jp2

import (
	"math"
	"slices"

	"github.com/spoolmedia/spool"
)

// coding holds the coding parameters of tiles that affect the cost of decoding.
type coding struct {
	layers       int
	order        int // progression order
	progressions int // progression order changes (POC entries)
	components   []componentCoding
}

type componentCoding struct {
	resolutions int
	block       [2]int   // log2 of a code-block's width and height
	precincts   [][2]int // the same for precincts, by resolution
	mixed       bool     // code-blocks of part 1 and of part 15 (HTJ2K)
}

func (c *coding) clone() *coding {
	own := *c
	own.components = slices.Clone(c.components)
	return &own
}

// changes reports whether a marker segment changes the coding.
func changes(marker uint16) bool {
	return marker == markerCOD || marker == markerCOC || marker == markerPOC
}

// read applies a marker segment.
func (c *coding) read(marker uint16, body []byte) error {
	in := &cursor{data: body}
	bad := func() error { return fault(spool.ErrCorrupt, "an invalid coding style (marker %#x)", marker) }
	switch marker {
	case markerCOD:
		style := in.u8()
		c.order, c.layers = in.u8(), in.u16()
		in.u8() // component transform
		x, ok := readComponent(in, style&1 != 0)
		if x.mixed {
			return unsupportedMix()
		}
		if !ok || c.layers == 0 {
			return bad()
		}
		for i := range c.components {
			c.components[i] = x
		}
	case markerCOC:
		i := in.u8()
		x, ok := readComponent(in, in.u8()&1 != 0)
		if x.mixed {
			return unsupportedMix()
		}
		if !ok || i >= len(c.components) {
			return bad()
		}
		c.components[i] = x
	case markerPOC:
		const entry = 7
		c.progressions += len(body) / entry
	}
	return nil
}

func unsupportedMix() error {
	return fault(spool.ErrUnsupported, "high-throughput code-blocks mixed with others")
}

func readComponent(in *cursor, sized bool) (componentCoding, bool) {
	const most = 33 // resolutions
	x := componentCoding{resolutions: in.u8() + 1, block: [2]int{in.u8() + 2, in.u8() + 2}}
	x.mixed = in.u8()&0x80 != 0
	in.u8() // wavelet transform
	if in.short || x.resolutions > most || x.block[0] > 10 || x.block[1] > 10 || x.block[0]+x.block[1] > 12 {
		return x, false
	}
	x.precincts = make([][2]int, x.resolutions)
	for i := range x.precincts {
		x.precincts[i] = [2]int{15, 15}
		if sized {
			size := in.u8()
			x.precincts[i] = [2]int{size & 0xf, size >> 4}
			if i > 0 && (size&0xf == 0 || size>>4 == 0) {
				return x, false
			}
		}
	}
	return x, !in.short
}

// load is the cost of decoding a tile. Its numbers are floats because headers may claim more than an int64 holds.
type load struct {
	precincts, blocks float64
	packets           float64
	steps             float64 // iterations of the loops that look for packets
	table             float64 // bytes of the library's table of packets
}

// load returns the cost of a tile that covers [x0, x1) x [y0, y1) of the reference grid.
func (c *coding) load(components []component, x0, y0, x1, y1 int) load {
	var l load
	across, down := math.Inf(1), math.Inf(1) // the smallest distance between precincts
	resolutions, most := 0, 0.0
	for i, x := range c.components {
		sampling := components[i]
		resolutions = max(resolutions, x.resolutions)
		for r, size := range x.precincts {
			level := x.resolutions - 1 - r
			w := spans(x0, x1, sampling.dx, level, size[0])
			h := spans(y0, y1, sampling.dy, level, size[1])
			bands, shrink := 3.0, 1
			if r == 0 {
				bands, shrink = 1, 0
			}
			l.precincts += bands * w * h
			l.packets += w * h
			most = max(most, w*h)
			l.blocks += bands * (spans(x0, x1, sampling.dx, level+shrink, min(x.block[0], size[0]-shrink)) + 1) *
				(spans(y0, y1, sampling.dy, level+shrink, min(x.block[1], size[1]-shrink)) + 1)
			across = min(across, float64(sampling.dx)*math.Exp2(float64(level+size[0])))
			down = min(down, float64(sampling.dy)*math.Exp2(float64(level+size[1])))
		}
	}
	l.packets *= float64(c.layers)
	l.table = 2 * float64(len(c.components)*resolutions) * most * float64(c.layers+1)
	l.steps = l.packets
	const byResolution, byComponent = 0, 1 // and layer: progression orders without positions
	if c.order > byComponent || c.progressions > 0 {
		l.steps += (float64(x1-x0)/across + 2) * (float64(y1-y0)/down + 2) * float64(len(c.components)*resolutions)
	}
	l.steps *= float64(c.progressions + 1)
	return l
}

// spans returns the number of intervals of length 2^exponent that samples touch. The samples lie between the grid
// positions `from` and `to`, dx * 2^level apart.
func spans(from, to, dx, level, exponent int) float64 {
	distance := float64(dx) * math.Exp2(float64(level))
	first, last := math.Ceil(float64(from)/distance), math.Ceil(float64(to)/distance)
	if first >= last {
		return 0
	}
	size := math.Exp2(float64(exponent))
	return math.Ceil(last/size) - math.Floor(first/size)
}
