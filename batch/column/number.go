package column

import (
	"encoding/binary"
	"math"
	"math/big"

	"github.com/spoolmedia/spool/internal/half"
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
		return uint64(half.Bits(x))
	case 4:
		return uint64(math.Float32bits(float32(x)))
	}
	return math.Float64bits(x)
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
