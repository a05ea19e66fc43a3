package raster

import (
	"encoding/binary"
	"math/bits"
)

// unpacker converts a stored row to pixels. Both slices have the right length.
type unpacker func(dst, src []byte)

// unpackBytes reads pixels of size bytes. at is the byte of each channel.
func unpackBytes(size int, at ...int) unpacker {
	return func(dst, src []byte) {
		for c, from := range at {
			for to := c; to < len(dst); to += len(at) {
				dst[to] = src[from]
				from += size
			}
		}
	}
}

// colors is a color map, RGBA. Entries that a file does not define are black.
type colors [256][4]byte

// newColors has all entries black and opaque.
func newColors() *colors {
	p := new(colors)
	for i := range p {
		p[i][3] = 0xff
	}
	return p
}

// gray reports whether all entries are gray.
func (p *colors) gray() bool {
	for _, c := range p {
		if c[0] != c[1] || c[1] != c[2] {
			return false
		}
	}
	return true
}

// unpack reads indices of 1, 2, 4 or 8 bits. The first index is in the highest bits of a byte.
func (p *colors) unpack(depth, channels int) unpacker {
	perByte := 8 / depth
	return func(dst, src []byte) {
		for x, to := 0, 0; to < len(dst); x, to = x+1, to+channels {
			index := src[x/perByte] << (x % perByte * depth) >> (8 - depth)
			c := &p[index]
			dst[to] = c[0]
			if channels >= 3 {
				dst[to+1], dst[to+2] = c[1], c[2]
			}
			if channels == 4 {
				dst[to+3] = c[3]
			}
		}
	}
}

// field is a channel within a pixel that is read as a little-endian number.
type field struct {
	shift, bits int
	value       [256]byte // by the value of the bits
}

// newField is the field of a mask, scaled to 8 bits as in Pillow: a field of fewer bits by v*255/max rounded down; of a
// field of more bits the high ones. It reports false for a mask with gaps. An empty mask gives 0.
func newField(mask uint32) (field, bool) {
	f := field{shift: bits.TrailingZeros32(mask), bits: bits.OnesCount32(mask)}
	if mask>>f.shift != uint32(1)<<f.bits-1 {
		return field{}, false
	}
	if f.bits > 8 {
		f.shift, f.bits = f.shift+f.bits-8, 8
	}
	for v := 1; v < 1<<f.bits; v++ {
		f.value[v] = byte(v * 255 / (1<<f.bits - 1))
	}
	return f, true
}

// unpackFields reads pixels of size bytes, 2 or 4.
func unpackFields(size int, channels ...field) unpacker {
	return func(dst, src []byte) {
		for c := range channels {
			f := &channels[c]
			mask := uint32(1)<<f.bits - 1
			for to, from := c, 0; to < len(dst); to, from = to+len(channels), from+size {
				pixel := uint32(binary.LittleEndian.Uint16(src[from:]))
				if size == 4 {
					pixel |= uint32(binary.LittleEndian.Uint16(src[from+2:])) << 16
				}
				dst[to] = f.value[pixel>>f.shift&mask]
			}
		}
	}
}
