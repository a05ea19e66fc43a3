package spool

import "fmt"

// Desc describes elements in contiguous memory, in C order and in the machine's byte order. There are no gaps, whatever
// the element size. So the stride of a dimension is the product of the dimensions inside it. For example, the rows of
// an RGB image of bytes in HWC are 3 x width bytes apart, and this number is not rounded up.
type Desc struct {
	Shape  Shape
	DType  DType
	Layout Layout
}

// Bytes returns the size of the described elements in bytes. It returns false if the shape or the DType is invalid, or
// if the size does not fit in an int.
func (d Desc) Bytes() (n int, ok bool) {
	elems, ok := d.Shape.Elems()
	size := d.DType.Size()
	if !ok || size == 0 || elems > int(^uint(0)>>1)/size {
		return 0, false
	}
	return elems * size, true
}

// String returns the description in a form such as "uint8 NHWC [32 224 224 3]".
func (d Desc) String() string { return fmt.Sprintf("%v %v %v", d.DType, d.Layout, d.Shape) }
