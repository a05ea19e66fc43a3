package vips

// animatedJXL reports whether a JPEG XL file is an animation. libvips 8.14 does not report it, and decodes the last
// frame. The layouts are those of ISO/IEC 18181: part 2 for the container, part 1 for the fields of the codestream.
func animatedJXL(data []byte) bool {
	const head = 64 // more bytes than the fields up to the animation's take
	bits := bitReader{data: codestream(data, head)}
	if bits.u(16) != 0x0aff { // the signature
		return false
	}
	bits.size()
	if allDefault := bits.u(1) == 1; allDefault {
		return false
	}
	if extraFields := bits.u(1) == 1; !extraFields {
		return false
	}
	bits.u(3) // orientation
	if intrinsic := bits.u(1) == 1; intrinsic {
		bits.size()
	}
	if preview := bits.u(1) == 1; preview {
		bits.previewSize()
	}
	return bits.u(1) == 1 && !bits.short
}

// bitReader reads the fields of a codestream, least significant bit first.
type bitReader struct {
	data  []byte
	next  int  // bit
	short bool // a read went beyond the end; missing bits are zero
}

func (b *bitReader) u(n int) (value uint32) {
	for i := range n {
		if b.next/8 >= len(b.data) {
			b.short = true
			return value
		}
		value |= uint32(b.data[b.next/8]>>(b.next%8)&1) << i
		b.next++
	}
	return value
}

// of skips a number with one of four widths; width zero is a constant.
func (b *bitReader) of(widths [4]int) { b.u(widths[b.u(2)]) }

// size skips an image's size.
func (b *bitReader) size() {
	if inEights := b.u(1) == 1; inEights {
		b.sides(func() { b.u(5) })
	} else {
		b.sides(func() { b.of([4]int{9, 13, 18, 30}) })
	}
}

// previewSize skips a preview's size, which is coded differently.
func (b *bitReader) previewSize() {
	if inEights := b.u(1) == 1; inEights {
		b.sides(func() { b.of([4]int{0, 0, 5, 9}) })
	} else {
		b.sides(func() { b.of([4]int{6, 8, 10, 12}) })
	}
}

// sides skips a height, an aspect ratio and, if the ratio does not imply it, a width.
func (b *bitReader) sides(side func()) {
	side()
	if ratio := b.u(3); ratio == 0 {
		side()
	}
}
