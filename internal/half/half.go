// Package half converts numbers of 16 bits, which Go does not have: IEEE 754 binary16, and bfloat16.
package half

import "math"

// Float returns the value of a number.
func Float(bits uint16) float64 {
	sign := 1 - 2*float64(bits>>15)
	exponent, fraction := int(bits>>10&0x1f), float64(bits&0x3ff)
	switch {
	case exponent == 0x1f && fraction != 0:
		return math.NaN()
	case exponent == 0x1f:
		return math.Inf(int(sign))
	case exponent == 0:
		return sign * math.Ldexp(fraction, -24)
	}
	return sign * math.Ldexp(fraction+1024, exponent-25)
}

// Bits returns the nearest number. Ties go to even. Numbers that are too large are infinite.
func Bits(x float64) uint16 {
	sign := uint16(0)
	if math.Signbit(x) {
		sign, x = 1<<15, -x
	}
	const infinite = 0x1f << 10
	switch {
	case math.IsNaN(x):
		return sign | infinite | 1<<9
	case x >= 65520: // halfway from the greatest number to the next one
		return sign | infinite
	case x < 0x1p-14:
		return sign | uint16(math.RoundToEven(x*0x1p24))
	}
	fraction, exponent := math.Frexp(x)                                             // 0.5 to 1
	return sign + uint16(exponent+13)<<10 + uint16(math.RoundToEven(fraction*2048)) // rounding up may raise the exponent
}

// BrainBits returns the nearest bfloat16. Ties go to even.
func BrainBits(x float32) uint16 {
	bits := math.Float32bits(x)
	if x != x { // rounding could make it infinite
		return uint16(bits>>16) | 1<<6
	}
	return uint16((bits + 0x7fff + bits>>16&1) >> 16)
}
