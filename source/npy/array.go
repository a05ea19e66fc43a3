package npy

import (
	"fmt"
	"slices"
	"strconv"
	"unsafe"

	"github.com/spoolmedia/spool"
)

// Kind is the kind of an array's numbers.
type Kind byte

// The kinds, as NumPy writes them.
const (
	Bool    Kind = 'b'
	Int     Kind = 'i'
	Uint    Kind = 'u'
	Float   Kind = 'f'
	Complex Kind = 'c'
)

// Type is the type of an array's elements.
type Type struct {
	Kind Kind
	Size int  // bytes
	Big  bool // big endian
}

// String returns the type as in NumPy: "<f4".
func (t Type) String() string {
	order := "<"
	switch {
	case t.Size == 1:
		order = "|"
	case t.Big:
		order = ">"
	}
	return order + string(t.Kind) + strconv.Itoa(t.Size)
}

// DType returns the corresponding spool.DType, if there is one; it does not express the byte order.
func (t Type) DType() (spool.DType, bool) {
	d, ok := dtypes[Type{Kind: t.Kind, Size: t.Size}]
	return d, ok
}

var dtypes = map[Type]spool.DType{
	{Kind: Uint, Size: 1}: spool.Uint8, {Kind: Uint, Size: 2}: spool.Uint16, {Kind: Int, Size: 2}: spool.Int16,
	{Kind: Int, Size: 4}: spool.Int32, {Kind: Int, Size: 8}: spool.Int64, {Kind: Float, Size: 2}: spool.Float16,
	{Kind: Float, Size: 4}: spool.Float32, {Kind: Float, Size: 8}: spool.Float64,
}

// Array is an array of numbers in memory. Without dimensions it is one number.
type Array struct {
	Type    Type
	Shape   []int
	Fortran bool   // the first index varies fastest, not the last
	Data    []byte // the elements without gaps, in any alignment
}

// Len returns the number of elements.
func (a Array) Len() int {
	n := 1
	for _, d := range a.Shape {
		n *= d
	}
	return n
}

// Native returns the array with little-endian elements in C order: itself if it already has them, otherwise a copy.
func (a Array) Native() Array {
	return a.rowMajor().little()
}

// little returns the array with little-endian elements.
func (a Array) little() Array {
	if !a.Type.Big {
		return a
	}
	part := a.Type.Size
	if a.Type.Kind == Complex {
		part /= 2
	}
	a.Data = slices.Clone(a.Data)
	for at := 0; at < len(a.Data); at += part {
		slices.Reverse(a.Data[at : at+part])
	}
	a.Type.Big = false
	return a
}

// rowMajor returns the array in C order.
func (a Array) rowMajor() Array {
	if !a.Fortran {
		return a
	}
	size, data := a.Type.Size, make([]byte, 0, len(a.Data))
	step := make([]int, len(a.Shape)) // of each index, in bytes
	next := size
	for d, n := range a.Shape {
		step[d] = next
		next *= n
	}
	index := make([]int, len(a.Shape))
	for at := 0; len(data) < len(a.Data); {
		data = append(data, a.Data[at:at+size]...)
		for d := len(index) - 1; d >= 0; d-- {
			at += step[d]
			if index[d]++; index[d] < a.Shape[d] {
				break
			}
			at -= index[d] * step[d]
			index[d] = 0
		}
	}
	a.Data, a.Fortran = data, false
	return a
}

// Number is a Go type that an array's elements may have.
type Number interface {
	bool | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64 | complex64 | complex128
}

// Values returns the elements in C order. They share the memory of Data if it has Go's alignment and byte order, and
// are a copy otherwise. The error is ErrShape if the array's elements are not of type T. A bool is true for any byte
// but 0.
func Values[T Number](a Array) ([]T, error) {
	var one T
	if want := typeOf(one); a.Type.Kind != want.Kind || a.Type.Size != want.Size {
		return nil, fmt.Errorf("%w: elements are %v, not %v", spool.ErrShape, a.Type, want)
	}
	a = a.Native()
	n := a.Len()
	if n == 0 {
		return []T{}, nil
	}
	first := unsafe.Pointer(unsafe.SliceData(a.Data))
	if a.Type.Kind != Bool && uintptr(first)%unsafe.Alignof(one) == 0 {
		return unsafe.Slice((*T)(first), n), nil
	}
	values := make([]T, n)
	to := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), n*a.Type.Size)
	copy(to, a.Data)
	if a.Type.Kind == Bool {
		for i, b := range to {
			to[i] = min(b, 1) // Go knows no other bool
		}
	}
	return values, nil
}

func typeOf(v any) Type {
	switch v.(type) {
	case bool:
		return Type{Kind: Bool, Size: 1}
	case int8:
		return Type{Kind: Int, Size: 1}
	case int16:
		return Type{Kind: Int, Size: 2}
	case int32:
		return Type{Kind: Int, Size: 4}
	case int64:
		return Type{Kind: Int, Size: 8}
	case uint8:
		return Type{Kind: Uint, Size: 1}
	case uint16:
		return Type{Kind: Uint, Size: 2}
	case uint32:
		return Type{Kind: Uint, Size: 4}
	case uint64:
		return Type{Kind: Uint, Size: 8}
	case float32:
		return Type{Kind: Float, Size: 4}
	case float64:
		return Type{Kind: Float, Size: 8}
	case complex64:
		return Type{Kind: Complex, Size: 8}
	}
	return Type{Kind: Complex, Size: 16}
}
