package record

import (
	"math"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source/npy"
)

// array writes the elements of an NPY file to dst.
func (k Number) array(dst, data []byte, bad func(format string, args ...any) error) error {
	a, rest, err := npy.Parse(data)
	if err != nil {
		return err
	}
	n, _ := k.Shape.Elems()
	if len(rest) > 0 || a.Len() != n {
		return bad("an array of shape %v, and the field has %d numbers", a.Shape, n)
	}
	a = a.Native()
	if d, ok := a.Type.DType(); ok && d == k.DType {
		copy(dst, a.Data)
		return nil
	}
	switch (npy.Type{Kind: a.Type.Kind, Size: a.Type.Size}) {
	case npy.Type{Kind: npy.Bool, Size: 1}:
		a.Type.Kind = npy.Uint
		fallthrough
	case npy.Type{Kind: npy.Uint, Size: 1}:
		return putAll[uint8](k, dst, a, bad)
	case npy.Type{Kind: npy.Uint, Size: 2}:
		return putAll[uint16](k, dst, a, bad)
	case npy.Type{Kind: npy.Uint, Size: 4}:
		return putAll[uint32](k, dst, a, bad)
	case npy.Type{Kind: npy.Int, Size: 1}:
		return putAll[int8](k, dst, a, bad)
	case npy.Type{Kind: npy.Int, Size: 2}:
		return putAll[int16](k, dst, a, bad)
	case npy.Type{Kind: npy.Int, Size: 4}:
		return putAll[int32](k, dst, a, bad)
	case npy.Type{Kind: npy.Int, Size: 8}:
		return putAll[int64](k, dst, a, bad)
	case npy.Type{Kind: npy.Float, Size: 4}:
		return putAll[float32](k, dst, a, bad)
	case npy.Type{Kind: npy.Float, Size: 8}:
		return putAll[float64](k, dst, a, bad)
	}
	return &spool.Error{Op: "decode", Class: spool.ErrUnsupported, Text: "elements of type " + a.Type.String()}
}

// putAll writes elements that have another type than the field.
func putAll[T interface {
	uint8 | uint16 | uint32 | int8 | int16 | int32 | int64 | float32 | float64
	npy.Number
}](k Number, dst []byte, a npy.Array, bad func(format string, args ...any) error,
) error {
	values, err := npy.Values[T](a)
	if err != nil {
		return err
	}
	for i, x := range values {
		v := float64(x)
		if !k.holds(v) {
			return bad("element %d is %v, which does not fit the type", i, x)
		}
		k.put(dst, i, v)
	}
	return nil
}

// holds reports whether the field's type has a value, for floats at least nearly.
func (k Number) holds(v float64) bool {
	switch k.DType {
	case spool.Float32:
		return math.Abs(v) <= math.MaxFloat32 || math.IsNaN(v) || math.IsInf(v, 0)
	case spool.Int64:
		return v == math.Trunc(v) && math.Abs(v) <= 1<<53
	case spool.Uint8:
		return v == math.Trunc(v) && v >= 0 && v <= math.MaxUint8
	}
	return true
}
