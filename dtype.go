package spool

import "strconv"

// DType is the type of one element. Multi-byte types have the machine's byte order, which is little endian on every
// platform that spool supports.
type DType uint8

const (
	Uint8    DType = iota // 8-bit unsigned, the usual type of pixels
	Uint16                // 16-bit unsigned
	Int16                 // 16-bit signed, audio samples
	Int32                 // 32-bit signed, audio samples
	Int64                 // 64-bit signed: labels, frame numbers
	Float16               // IEEE 754 binary16
	Float32               // IEEE 754 binary32
	BFloat16              // the upper half of a Float32
	Float64               // IEEE 754 binary64, times
)

// Size returns the number of bytes of one element, and 0 for an unknown type.
func (d DType) Size() int {
	switch d {
	case Uint8:
		return 1
	case Uint16, Int16, Float16, BFloat16:
		return 2
	case Int32, Float32:
		return 4
	case Int64, Float64:
		return 8
	}
	return 0
}

// String returns the type's NumPy name. NumPy has no BFloat16, which is "bfloat16".
func (d DType) String() string {
	switch d {
	case Uint8:
		return "uint8"
	case Uint16:
		return "uint16"
	case Int16:
		return "int16"
	case Int32:
		return "int32"
	case Int64:
		return "int64"
	case Float16:
		return "float16"
	case Float32:
		return "float32"
	case BFloat16:
		return "bfloat16"
	case Float64:
		return "float64"
	}
	return "DType(" + strconv.Itoa(int(d)) + ")"
}
