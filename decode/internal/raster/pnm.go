package raster

import (
	"bytes"
	"encoding/binary"
	"math"
	"sync"

	"github.com/spoolmedia/spool"
)

// pnmHeader is the header of a PBM, PGM or PPM file.
type pnmHeader struct {
	plain         bool // numbers as text
	width, height int
	channels      int
	max           int  // maximum of a sample; 0: one bit, 1 is black
	wide          bool // 16 bits are requested and present
	samples       PNMScanner
}

// OpenPNM reads PBM, PGM and PPM, plain and raw. Values are scaled to 8 bits as in Pillow, rounding to even. Gray of
// more than 8 bits, which Pillow keeps at 16, is scaled to 16 bits and gives the high byte. wide keeps 16 bits of files
// with more than 8.
func OpenPNM(data []byte, wide bool) (Image, error) {
	h, err := parsePNM(data)
	if err != nil {
		return Image{}, err
	}
	h.wide = wide && h.max > 255
	r := Image{Width: h.width, Height: h.height, Channels: h.channels, Bits: 8, wide: h.wide}
	switch {
	case h.max == 0:
		r.Bits = 1
	case h.max > 255:
		r.Bits = 16
	}
	if h.plain {
		r.Lines = h.text
	} else {
		r.Lines = h.raw
	}
	return r, nil
}

func parsePNM(data []byte) (pnmHeader, error) {
	if len(data) < 2 {
		return pnmHeader{}, fault(spool.ErrTruncated, "a PNM header of %d bytes", len(data))
	}
	h := pnmHeader{channels: 1, samples: PNMScanner{Data: data, Pos: 2}}
	switch data[1] {
	case '1', '2', '3':
		h.plain = true
	case '4', '5', '6':
	default:
		return h, fault(spool.ErrUnsupported, "PNM of kind %q", data[:2])
	}
	if data[1] == '3' || data[1] == '6' {
		h.channels = 3
	}
	var err error
	if h.width, err = h.samples.Number(); err != nil {
		return h, err
	}
	if h.height, err = h.samples.Number(); err != nil {
		return h, err
	}
	if h.width == 0 || h.height == 0 || h.width > math.MaxInt32 || h.height > math.MaxInt32 {
		return h, fault(spool.ErrCorrupt, "a PNM image of %dx%d: width and height are 1 to 2147483647", h.width, h.height)
	}
	if data[1] != '1' && data[1] != '4' {
		if h.max, err = h.samples.Number(); err != nil {
			return h, err
		}
		if h.max == 0 || h.max > math.MaxUint16 {
			return h, fault(spool.ErrCorrupt, "PNM samples up to %d", h.max)
		}
	}
	return h, nil
}

// scale maps samples from 0 to limit to output values. The table is computed at the first call.
func (h *pnmHeader) scale(limit int) func() []uint16 {
	return sync.OnceValue(func() []uint16 {
		values := make([]uint16, limit+1)
		for v := range values {
			values[v] = h.value(v)
		}
		return values
	})
}

func (h *pnmHeader) value(v int) uint16 {
	scaled := func(top int) uint16 {
		return uint16(min(top, int(math.RoundToEven(float64(v)/float64(h.max)*float64(top)))))
	}
	switch {
	case h.wide:
		return scaled(65535)
	case h.max > 255 && h.channels == 1:
		return scaled(65535) >> 8
	}
	return scaled(255)
}

// store writes sample i of a row.
func (h *pnmHeader) store(row []byte, i int, value uint16) {
	if h.wide {
		binary.NativeEndian.PutUint16(row[2*i:], value)
	} else {
		row[i] = byte(value)
	}
}

// raw are the rows of a file with bits, bytes or pairs of bytes.
func (h pnmHeader) raw() Rows {
	row := h.width * h.channels
	h.samples.separator()
	s := stored{data: h.samples.Data[h.samples.Pos:]}
	var unpack unpacker
	switch {
	case h.max == 0:
		s.stride = (row + 7) / 8
		inverted := newColors()
		inverted[0] = [4]byte{0xff, 0xff, 0xff, 0xff}
		unpack = inverted.unpack(1, 1)
	case h.max == 255:
		s.stride = row
		unpack = func(dst, src []byte) { copy(dst, src) }
	case h.max < 255:
		s.stride = row
		values := h.scale(255)
		unpack = func(dst, src []byte) {
			scaled := values()
			for i, v := range src {
				dst[i] = byte(scaled[v])
			}
		}
	default:
		s.stride = 2 * row
		values := h.scale(65535)
		unpack = func(dst, src []byte) {
			scaled := values()
			for i := range row {
				h.store(dst, i, scaled[binary.BigEndian.Uint16(src[2*i:])])
			}
		}
	}
	s.used = s.stride
	return Rows{Complete: s.complete(h.height), unpack: func(dst []byte, line int) error {
		unpack(dst, s.row(line))
		return nil
	}}
}

// text are the rows of a file with decimal numbers, or with one digit a bit. It counts the samples first, to find the
// number of complete rows.
func (h pnmHeader) text() Rows {
	row := h.width * h.channels
	l := Rows{}
	if s := h.samples; row <= len(s.Data) {
		for l.Complete < h.height && s.skip(row, h.max == 0) {
			if h.max > 0 && s.Ended() && l.Complete < h.height-1 {
				break // the last number may have lost digits
			}
			l.Complete++
		}
	}
	s := h.samples
	if h.max == 0 {
		l.unpack = func(dst []byte, _ int) error { return s.bits(dst) }
		return l
	}
	values := h.scale(h.max)
	l.unpack = func(dst []byte, _ int) error {
		scaled := values()
		for i := range row {
			v, err := s.Number()
			if err != nil {
				return err
			}
			if v > h.max {
				return fault(spool.ErrCorrupt, "a PNM sample of %d, the maximum is %d", v, h.max)
			}
			h.store(dst, i, scaled[v])
		}
		return nil
	}
	return l
}

// PNMScanner reads tokens between white space and comments.
type PNMScanner struct {
	Data []byte
	Pos  int
}

// IsSpace reports whether a byte separates numbers in a header.
func IsSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// Ended reports whether all data are read.
func (s *PNMScanner) Ended() bool { return s.Pos == len(s.Data) }

// token advances to the next byte that is neither white space nor comment, and reports whether there is one.
func (s *PNMScanner) token() bool {
	for ; !s.Ended(); s.Pos++ {
		switch c := s.Data[s.Pos]; {
		case c == '#':
			s.comment()
		case !IsSpace(c):
			return true
		}
	}
	return false
}

// comment advances to the last byte of a comment: line feed, carriage return, or end of the data.
func (s *PNMScanner) comment() {
	if n := bytes.IndexAny(s.Data[s.Pos:], "\r\n"); n >= 0 {
		s.Pos += n
	} else {
		s.Pos = len(s.Data) - 1
	}
}

// Number reads a number of at most ten digits.
func (s *PNMScanner) Number() (int, error) {
	if !s.token() {
		return 0, fault(spool.ErrTruncated, "the PNM data ends where a number should be")
	}
	v, start := 0, s.Pos
	for ; !s.Ended() && !IsSpace(s.Data[s.Pos]) && s.Data[s.Pos] != '#'; s.Pos++ {
		c := s.Data[s.Pos]
		if c < '0' || c > '9' || s.Pos-start == 10 {
			return 0, fault(spool.ErrCorrupt, "%q where PNM data should have a number", s.Data[start:s.Pos+1])
		}
		v = v*10 + int(c-'0')
	}
	return v, nil
}

// bits reads one digit a pixel, 1 for black, with or without white space between digits.
func (s *PNMScanner) bits(dst []byte) error {
	for i := range dst {
		if !s.token() {
			return fault(spool.ErrTruncated, "the PNM data ends where a bit should be")
		}
		switch c := s.Data[s.Pos]; c {
		case '0':
			dst[i] = 0xff
		case '1':
			dst[i] = 0
		default:
			return fault(spool.ErrCorrupt, "%q where PNM data should have a bit", c)
		}
		s.Pos++
	}
	return nil
}

// skip skips n numbers, or single digits, and reports whether all were present.
func (s *PNMScanner) skip(n int, digits bool) bool {
	for range n {
		if !s.token() {
			return false
		}
		for s.Pos++; !digits && !s.Ended() && !IsSpace(s.Data[s.Pos]) && s.Data[s.Pos] != '#'; {
			s.Pos++
		}
	}
	return true
}

// separator skips the end of the header: one white space, or a comment.
func (s *PNMScanner) separator() {
	if !s.Ended() && s.Data[s.Pos] == '#' {
		s.comment()
	}
	s.Pos = min(s.Pos+1, len(s.Data))
}
