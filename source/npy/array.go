package npy

import (
	"fmt"
	"slices"
	"strconv"
	"unsafe"

	"github.com/spoolmedia/spool"
)

// Kind is what the numbers of an array are.
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

// String is what NumPy writes for the type: "<f4".
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

// DType is spool's word for the type, where it has one; the byte order is another matter.
func (t Type) DType() (spool.DType, bool) {
	d, ok := dtypes[Type{Kind: t.Kind, Size: t.Size}]
	return d, ok
}

var dtypes = map[Type]spool.DType{
	{Kind: Uint, Size: 1}: spool.Uint8, {Kind: Uint, Size: 2}: spool.Uint16, {Kind: Int, Size: 2}: spool.Int16,
	{Kind: Int, Size: 4}: spool.Int32, {Kind: Int, Size: 8}: spool.Int64, {Kind: Float, Size: 2}: spool.Float16, {Kind: Float, Size: 4}: spool.Float32,
}

// Array is numbers in memory. Without dimensions it is one number.
type Array struct {
	Type    Type
	Shape   []int
	Fortran bool   // the first index varies fastest, not the last
	Data    []byte // the elements without gaps, in no particular alignment
}

// Len is the number of elements.
func (a Array) Len() int {
	n := 1
	for _, d := range a.Shape {
		n *= d
	}
	return n
}

// Native is the array with little-endian elements in C order: itself where it is that, else a copy.
func (a Array) Native() Array {
	return a.rowMajor().little()
}

// little is the array with its bytes the other way round if they are big endian.
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

// rowMajor is the array in C order.
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

// Number is a type of Go that an array's elements may have.
type Number interface {
	bool | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64 | complex64 | complex128
}

// Values are the elements in C order: a part of Data where they lie there as Go has them, else a copy. The error is
// ErrShape when the array's elements are not of type T. A bool is true for any byte but 0.
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
