package column

import (
	"encoding/binary"
	"math"
	"math/big"
)

// word returns the low bytes of a number, in the machine's order.
func word(bits uint64, size int) []byte {
	switch size {
	case 1:
		return []byte{byte(bits)}
	case 2:
		return binary.NativeEndian.AppendUint16(nil, uint16(bits))
	case 4:
		return binary.NativeEndian.AppendUint32(nil, uint32(bits))
	}
	return binary.NativeEndian.AppendUint64(nil, bits)
}

// floatBits returns the bits of a floating-point number of that many bytes.
func floatBits(x float64, size int) uint64 {
	switch size {
	case 2:
		return uint64(floatToHalf(x))
	case 4:
		return uint64(math.Float32bits(float32(x)))
	}
	return math.Float64bits(x)
}

// floatToHalf returns a number of 16 bits, rounded to even. Numbers that are too large are infinite.
func floatToHalf(x float64) uint16 {
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

// halfToFloat returns the value of a number of 16 bits.
func halfToFloat(bits uint16) float32 {
	exponent, fraction := int(bits>>10&0x1f), float64(bits&0x3ff)
	x := math.Ldexp(fraction+1024, exponent-25)
	switch {
	case exponent == 0x1f && fraction != 0:
		x = math.NaN()
	case exponent == 0x1f:
		x = math.Inf(1)
	case exponent == 0:
		x = math.Ldexp(fraction, -24)
	}
	if bits>>15 != 0 {
		x = -x
	}
	return float32(x)
}

// decimal returns a number with that many decimal places as an integer of 128 bits, the lowest byte first. ok is false
// if it has more places, or does not fit.
func decimal(x *big.Rat, scale int) (data []byte, ok bool) {
	x = new(big.Rat).Mul(x, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)))
	n := new(big.Int).Set(x.Num())
	if !x.IsInt() || n.BitLen() > 127 {
		return nil, false
	}
	if n.Sign() < 0 {
		n.Add(n, new(big.Int).Lsh(big.NewInt(1), 128))
	}
	data = make([]byte, 16)
	for i, b := range n.FillBytes(make([]byte, 16)) {
		data[15-i] = b
	}
	return data, true
}
