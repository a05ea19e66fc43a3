package jp2

import (
	"encoding/binary"
	"math"

	"github.com/spoolmedia/spool"
)

// Markers of a codestream (ISO/IEC 15444-1, Annex A, and 15444-2).
const (
	markerCAP = 0xff50
	markerSIZ = 0xff51
	markerCOD = 0xff52
	markerCOC = 0xff53
	markerPOC = 0xff5f
	markerPPM = 0xff60
	markerPPT = 0xff61
	markerMCT = 0xff74
	markerMCC = 0xff75
	markerSOT = 0xff90
	markerSOD = 0xff93
)

// known reports whether libopenjp2 has a handler for the marker. After an unknown marker in the main header, the
// library skips to the next known one.
func known(marker uint16) bool {
	switch marker {
	case markerCAP, markerSIZ, markerCOD, markerCOC, markerPOC, markerMCT, markerMCC, markerSOT,
		0xff55, 0xff57, 0xff58, 0xff59, 0xff5c, 0xff5d, 0xff5e, markerPPM, markerPPT, 0xff63, 0xff64, 0xff77, 0xff78, 0xff91:
		return true
	}
	return false
}

// component describes the samples of one component.
type component struct {
	bits   int
	signed bool
	dx, dy int // subsampling factors
}

// stream is the content of a codestream's headers.
type stream struct {
	left, top, right, bottom          int // the image on the reference grid
	tileX, tileY, tileWidth, tileDown int // the first tile's origin, and a tile's size
	columns, rows                     int // of tiles
	components                        []component

	coding    coding
	special   map[int]*coding // tiles with their own coding parameters
	parts     int             // number of tile-parts
	present   []bool          // by tile: it has a tile-part
	truncated bool            // a tile-part extends beyond the end of the data
	copied    int64           // bytes of the main header that the library copies for each tile
	undivided bool            // the library decodes areas of a tile incorrectly
}

// look notes what a marker says about areas. libopenjp2 uses up packed packet headers at its first decode of a tile, so
// that the next area of the tile gets none. Version 2.5.0 decodes areas of high-throughput code-blocks (HTJ2K, which
// CAP announces) as gray.
func (s *stream) look(marker int) {
	s.undivided = s.undivided || marker == markerCAP || marker == markerPPM || marker == markerPPT
}

// subsampled returns the index of the first subsampled component, or -1.
func (s *stream) subsampled() int {
	for i, c := range s.components {
		if c.dx != 1 || c.dy != 1 {
			return i
		}
	}
	return -1
}

// cursor reads big-endian numbers.
type cursor struct {
	data  []byte
	at    int
	short bool // a read went beyond the end
}

func (c *cursor) take(n int) []byte {
	if n > len(c.data)-c.at {
		c.short = true
		return nil
	}
	c.at += n
	return c.data[c.at-n : c.at]
}

func (c *cursor) u8() int {
	if b := c.take(1); b != nil {
		return int(b[0])
	}
	return 0
}

func (c *cursor) u16() int {
	if b := c.take(2); b != nil {
		return int(binary.BigEndian.Uint16(b))
	}
	return 0
}

func (c *cursor) u32() int {
	if b := c.take(4); b != nil {
		return int(binary.BigEndian.Uint32(b))
	}
	return 0
}

// segment returns the body of a marker segment.
func (c *cursor) segment() []byte {
	n := c.u16()
	if n < 2 {
		c.short = true
		return nil
	}
	return c.take(n - 2)
}

// readStream reads the headers of a codestream. It parses them as libopenjp2 does, so the bounds cover everything that
// the library will meet. Tile-parts are read as far as possible: the library refuses damage there.
func readStream(data []byte) (*stream, error) {
	c := &cursor{data: data, at: 2}
	s := &stream{special: map[int]*coding{}}
	if c.u16() != markerSIZ {
		return nil, fault(spool.ErrCorrupt, "the codestream does not begin with its size")
	}
	size := c.segment()
	if c.short {
		return nil, endsEarly()
	}
	if err := s.readSize(size); err != nil {
		return nil, err
	}
	s.coding.components = make([]componentCoding, len(s.components))
	coded := false
	for marker := c.u16(); marker != markerSOT; marker = c.u16() {
		for ; !known(uint16(marker)) && !c.short; marker = c.u16() {
		}
		if marker == markerSOT {
			break
		}
		body := c.segment()
		if c.short {
			return nil, endsEarly()
		}
		if err := s.coding.read(uint16(marker), body); err != nil {
			return nil, err
		}
		coded = coded || marker == markerCOD
		s.look(marker)
		if marker == markerMCT || marker == markerMCC {
			s.copied += int64(len(body))
		}
	}
	if !coded {
		return nil, fault(spool.ErrCorrupt, "no coding style in the main header")
	}
	c.at -= 2
	return s, s.readParts(c)
}

func (s *stream) readSize(segment []byte) error {
	c := &cursor{data: segment}
	c.u16() // capabilities
	s.right, s.bottom, s.left, s.top = c.u32(), c.u32(), c.u32(), c.u32()
	s.tileWidth, s.tileDown, s.tileX, s.tileY = c.u32(), c.u32(), c.u32(), c.u32()
	count := c.u16()
	if c.short || len(segment) != 36+3*count || count == 0 {
		return fault(spool.ErrCorrupt, "a size segment of %d bytes for %d components", len(segment), count)
	}
	if s.left >= s.right || s.top >= s.bottom || s.tileWidth == 0 || s.tileDown == 0 || s.tileX > s.left ||
		s.tileY > s.top ||
		s.tileX+s.tileWidth <= s.left || s.tileY+s.tileDown <= s.top {
		return fault(spool.ErrCorrupt,
			"an image from %d,%d to %d,%d is empty, or its first tile, %dx%d at %d,%d, is outside it",
			s.left, s.top, s.right, s.bottom, s.tileWidth, s.tileDown, s.tileX, s.tileY)
	}
	if s.right > math.MaxInt32 || s.bottom > math.MaxInt32 {
		return fault(spool.ErrTooLarge, "an image up to %d,%d: the limit of libopenjp2 is %d", s.right, s.bottom,
			math.MaxInt32)
	}
	s.columns = (s.right - s.tileX + s.tileWidth - 1) / s.tileWidth
	s.rows = (s.bottom - s.tileY + s.tileDown - 1) / s.tileDown
	if s.columns > 65535/s.rows {
		return fault(spool.ErrCorrupt, "%dx%d tiles exceed the limit of the format", s.columns, s.rows)
	}
	s.present = make([]bool, s.columns*s.rows)
	if count > 4 {
		return fault(spool.ErrUnsupported, "%d components; 1 to 4 are supported", count)
	}
	for range count {
		depth := c.u8()
		x := component{bits: depth&0x7f + 1, signed: depth&0x80 != 0, dx: c.u8(), dy: c.u8()}
		if x.dx == 0 || x.dy == 0 {
			return fault(spool.ErrCorrupt, "a subsampling of %dx%d: must be positive", x.dx, x.dy)
		}
		if x.bits > 31 {
			return fault(spool.ErrUnsupported, "samples of %d bits; libopenjp2 takes 31", x.bits)
		}
		s.components = append(s.components, x)
	}
	return nil
}

// readParts reads the headers of tile-parts, up to the first invalid one.
func (s *stream) readParts(c *cursor) error {
	for {
		start := c.at
		if c.u16() != markerSOT {
			return nil
		}
		header := &cursor{data: c.segment()}
		tile, length := header.u16(), header.u32()
		if c.short || header.short || tile >= s.columns*s.rows {
			return nil
		}
		s.parts++
		s.present[tile] = true
		marker := c.u16()
		for ; marker != markerSOD && !c.short; marker = c.u16() {
			body := c.segment()
			if c.short || !known(uint16(marker)) {
				return nil
			}
			s.look(marker)
			if !changes(uint16(marker)) {
				continue
			}
			own := s.special[tile]
			if own == nil {
				own = s.coding.clone()
				s.special[tile] = own
			}
			if err := own.read(uint16(marker), body); err != nil {
				return err
			}
		}
		switch {
		case length == 0 || length < c.at-start: // up to the end of the file, or invalid
			return nil
		case length > len(c.data)-start:
			s.truncated = true
			return nil
		}
		c.at = start + length
	}
}
