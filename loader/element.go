package loader

import (
	"encoding/binary"
	"math"

	"github.com/spoolmedia/spool"
)

// element returns the bytes of one element with a value, rounded and clamped to the type; nil for zero.
func element(t spool.DType, value float64) []byte {
	if value == 0 {
		return nil
	}
	unsigned := func(most float64) uint16 { return uint16(min(max(math.RoundToEven(value), 0), most)) }
	switch t {
	case spool.Uint8:
		return []byte{byte(unsigned(math.MaxUint8))}
	case spool.Uint16:
		return binary.NativeEndian.AppendUint16(nil, unsigned(math.MaxUint16))
	case spool.Float16:
		return binary.NativeEndian.AppendUint16(nil, half(value))
	case spool.BFloat16:
		return binary.NativeEndian.AppendUint16(nil, brain(float32(value)))
	case spool.Float32:
		return binary.NativeEndian.AppendUint32(nil, math.Float32bits(float32(value)))
	}
	return nil
}

// half returns the bits of the nearest float16. Ties go to even.
func half(v float64) uint16 {
	const fraction, least = 10, -14 // exponent of the smallest normal number
	sign := uint16(0)
	if math.Signbit(v) {
		sign = 1 << 15
	}
	size := math.Abs(v)
	if size >= 65520 { // rounds to infinity
		return sign | 0x1f<<fraction
	}
	e := max(math.Ilogb(size), least)
	steps := uint16(math.RoundToEven(math.Ldexp(size, fraction-e))) // at least 2^fraction for normal numbers
	return sign | uint16(e-least)<<fraction + steps
}

// brain returns the bits of the nearest bfloat16. Ties go to even.
func brain(v float32) uint16 {
	bits := math.Float32bits(v)
	return uint16((bits + 0x7fff + bits>>16&1) >> 16)
}
