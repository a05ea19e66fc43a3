package jp2

import (
	"math"
	"slices"

	"github.com/spoolmedia/spool"
)

// Header describes an image without its pixels.
type Header struct {
	Width, Height int
	Color         Color
	Alpha         bool   // a component, or the palette, is alpha
	Bits          int    // of the deepest component; 8 for a palette
	ICC           []byte // of the pixels as stored; aliases the data that were read, nil without a profile

	codestream []byte
	stream     *stream
	opacity    int // index of the alpha component, or -1
	truncate   bool
	palette    [256][4]uint8
	memory     int64
}

// ReadHeader reads the boxes, the main header and the headers of tile-parts. The Header refers to data, which must not
// change while it is in use. ReadHeader is Go code and linear in the number of tile-parts. Sizes that the file claims
// cost no memory.
//
// Errors are a *spool.Error of class empty, not-media, truncated, corrupt, unsupported or too-large.
func ReadHeader(data []byte) (Header, error) {
	if len(data) == 0 {
		return Header{}, fault(spool.ErrEmpty, "no data")
	}
	c, err := open(data)
	if err != nil {
		return Header{}, err
	}
	s, err := readStream(c.codestream)
	if err != nil {
		return Header{}, err
	}
	h := Header{Width: s.right - s.left, Height: s.bottom - s.top, codestream: c.codestream, stream: s}
	if c.boxed && (c.width != h.Width || c.height != h.Height) {
		return Header{}, fault(spool.ErrCorrupt, "an image of %dx%d, but its header box declares %dx%d", h.Width, h.Height,
			c.width, c.height)
	}
	m, err := c.meaning(s)
	if err != nil {
		return Header{}, err
	}
	h.Color, h.opacity, h.Alpha = m.color, m.opacity, m.opacity >= 0
	h.truncate = c.deep(s)
	for _, x := range s.components {
		h.Bits = max(h.Bits, x.bits)
	}
	if c.method == 2 {
		h.ICC = c.profile
	}
	if h.Color == Palette {
		if h.palette, err = c.lookup(); err != nil {
			return Header{}, err
		}
		h.Bits = 8
		h.Alpha = h.Alpha || c.columns == 4 && !c.inks
	}
	h.memory, err = s.bounds(len(c.codestream))
	return h, err
}

// Channels returns the number of stored channels, alpha included.
func (h Header) Channels() int {
	n := [...]int{Gray: 1, RGB: 3, YCC: 3, CMYK: 4, Palette: 3}[h.Color]
	if h.Alpha {
		n++
	}
	return n
}

// Memory returns the most bytes that Decode allocates, without the memory of the sink.
func (h Header) Memory() int64 { return h.memory }

// tile returns the rectangle of the reference grid that a tile covers.
func (s *stream) tile(index int) (x0, y0, x1, y1 int) {
	column, row := index%s.columns, index/s.columns
	x0, y0 = s.tileX+column*s.tileWidth, s.tileY+row*s.tileDown
	return max(x0, s.left), max(y0, s.top), min(x0+s.tileWidth, s.right), min(y0+s.tileDown, s.bottom)
}

// largest returns the number of pixels of the largest tile.
func (s *stream) largest() int64 {
	var n int64
	for _, column := range []int{0, min(1, s.columns-1)} {
		for _, row := range []int{0, min(1, s.rows-1)} {
			x0, y0, x1, y1 := s.tile(row*s.columns + column)
			n = max(n, int64(x1-x0)*int64(y1-y0))
		}
	}
	return n
}

// margin returns the number of pixels by which an area is extended to the right and below, so that it has the same
// samples as the whole image. OpenJPEG 2.5 decodes 4 coefficients (2 if lossless) around an area in each subband. At
// the right and lower edges the inverse transform reads up to half a coefficient more, which is half of 2^levels pixels
// at the lowest level.
func (s *stream) margin() int {
	const most = 1 << 24
	margin := 0
	extend := func(c *coding) {
		for i, x := range c.components {
			if levels := x.resolutions - 1; levels > 0 {
				distance := max(s.components[i].dx, s.components[i].dy)
				margin = max(margin, min(distance<<min(levels-1, 24), most))
			}
		}
	}
	extend(&s.coding)
	for _, c := range s.special {
		extend(c)
	}
	return margin
}

// bounds returns the most bytes that decoding allocates. It refuses a codestream whose headers promise more packets
// than libopenjp2 can look for in a few seconds.
func (s *stream) bounds(size int) (int64, error) {
	const (
		block     = 900  // bytes that the library keeps for each code-block
		precinct  = 400  // for each precinct of a subband
		sample    = 13   // for each sample of a tile: as integer, as bytes, and as pixel
		tile      = 9000 // for each tile in the headers and in the index
		component = 1100 // for each component of a tile
		tilePart  = 6200 // for each tile-part in the index
		fixed     = 2 << 20
		mostSteps = 1 << 26
		areas     = 11 // of a single tile, for each of which the library looks for all packets
	)
	tiles := s.columns * s.rows
	structures := 0.0
	weigh := func(c *coding, index int) float64 {
		x0, y0, x1, y1 := s.tile(index)
		l := c.load(s.components, x0, y0, x1, y1)
		structures = max(structures, l.blocks*block+l.precincts*precinct+l.table)
		return l.steps
	}
	plain := 0.0
	for _, index := range []int{0, tiles - 1, min(s.columns+1, tiles-1)} {
		plain = max(plain, weigh(&s.coding, index))
	}
	steps := plain * float64(tiles-len(s.special))
	for index, c := range s.special {
		steps += weigh(c, index)
	}
	if tiles == 1 {
		steps *= areas
	}
	if steps > mostSteps {
		return 0, fault(spool.ErrCorrupt, "the headers declare %.3g packets in %d bytes", steps, size)
	}
	pixels := float64(s.right-s.left) * float64(s.bottom-s.top)
	const deepest = 4 * 2 // bytes of a pushed pixel
	total := structures + fixed + 2*float64(size) + float64(s.largest())*float64(len(s.components))*sample +
		float64(tiles)*(float64(tile+component*len(s.components))+float64(s.copied)) + float64(s.parts)*tilePart
	if tiles > 1 {
		total += pixels * deepest // rows of tiles that are not complete yet
	}
	return int64(min(total, math.MaxInt64/2)), nil
}

// whole returns an error if the image lacks data.
func (s *stream) whole() error {
	switch {
	case s.truncated:
		return fault(spool.ErrTruncated, "the file ends within a tile")
	case s.missing():
		return fault(spool.ErrCorrupt, "a tile is missing")
	}
	return nil
}

// missing reports whether some tile has no tile-part.
func (s *stream) missing() bool { return slices.Contains(s.present, false) }
