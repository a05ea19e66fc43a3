package loader

import (
	"encoding/binary"
	"math"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/half"
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
		return binary.NativeEndian.AppendUint16(nil, half.Bits(value))
	case spool.BFloat16:
		return binary.NativeEndian.AppendUint16(nil, half.BrainBits(float32(value)))
	case spool.Float32:
		return binary.NativeEndian.AppendUint32(nil, math.Float32bits(float32(value)))
	}
	return nil
}
