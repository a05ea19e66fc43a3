package spool

import "fmt"

// Desc describes what lies in a run of bytes: elements in C order and the machine's byte order, without
// gaps whatever their size. So the stride of a dimension is the product of those within it: a row of an
// RGB picture of bytes in HWC is 3 x width bytes from the next, and not rounded up.
type Desc struct {
	Shape  Shape
	DType  DType
	Layout Layout
}

// Bytes is the number of bytes the described elements take. It reports false when the shape is not
// a valid one or the number does not fit in an int.
func (d Desc) Bytes() (n int, ok bool) {
	elems, ok := d.Shape.Elems()
	size := d.DType.Size()
	if !ok || size == 0 || elems > int(^uint(0)>>1)/size {
		return 0, false
	}
	return elems * size, true
}

// String is for example "uint8 NHWC [32 224 224 3]".
func (d Desc) String() string { return fmt.Sprintf("%v %v %v", d.DType, d.Layout, d.Shape) }
