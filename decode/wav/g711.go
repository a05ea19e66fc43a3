package wav

// ITU-T G.711: a byte is a sign, an exponent of three bits and a mantissa of four.

// expandALaw returns the middle of the interval that b represents, scaled from 13 bits to 16.
func expandALaw(b byte) int16 {
	b ^= 0x55 // A-law inverts every other bit
	v := int16(b&0xf)<<4 | 8
	if exponent := b >> 4 & 7; exponent > 0 {
		v = (v | 0x100) << (exponent - 1)
	}
	if b&0x80 == 0 {
		return -v
	}
	return v
}

// expandMuLaw is the same for mu-law, from 14 bits; its intervals begin at a bias of 33.
func expandMuLaw(b byte) int16 {
	const bias = 33 << 2
	b = ^b
	v := (int16(b&0xf)<<3|bias)<<(b>>4&7) - bias
	if b&0x80 != 0 {
		return -v
	}
	return v
}
