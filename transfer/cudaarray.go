package transfer

import (
	"encoding/json"
	"fmt"

	"github.com/spoolmedia/spool"
)

// CUDAArray holds the fields of __cuda_array_interface__, version 3, for an array on a CUDA device. Numba, CuPy,
// PyTorch and others use it in Python to exchange arrays. Its JSON form is that dictionary.
type CUDAArray struct {
	Shape   []int               `json:"shape"`
	TypeStr string              `json:"typestr"` // NumPy's, "|u1"; for bfloat16 that of package ml_dtypes
	Data    CUDAArrayData       `json:"data"`
	Version int                 `json:"version"`
	Strides []int               `json:"strides"` // nil: C order, without gaps
	Stream  *spool.DeviceStream `json:"stream"`  // the stream that a consumer has to follow; nil for none
}

// CUDAArrayData is the location of the elements: [pointer, read only] as JSON.
type CUDAArrayData struct {
	Pointer  uint64 // 0 for an array without elements
	ReadOnly bool
}

// MarshalJSON returns a list of both fields.
func (d CUDAArrayData) MarshalJSON() ([]byte, error) {
	return json.Marshal([]any{d.Pointer, d.ReadOnly})
}

// CUDAArray describes array i to consumers that use it after the work in stream s. It calls [Batch.WaitOn] for s; see
// [Batch.DLPack] about s. It keeps nothing: the batch MUST be held while consumers queue work in that stream, or in
// others that it follows before Release. For an array in host memory the error is spool.ErrOptions.
func (b *Batch) CUDAArray(i int, s spool.DeviceStream, readOnly bool) (CUDAArray, error) {
	b.check("CUDAArray")
	a, err := b.array(i)
	if err != nil {
		return CUDAArray{}, err
	}
	if a.Device.Kind() != CUDA {
		return CUDAArray{}, fmt.Errorf("%w: an array on %s has no CUDA array interface", spool.ErrOptions, a.Device.Name())
	}
	if err := b.use(s); err != nil {
		return CUDAArray{}, err
	}
	c := CUDAArray{Shape: append([]int{}, a.Desc.Shape...), TypeStr: typeStr(a.Desc.DType), Version: 3,
		Data: CUDAArrayData{Pointer: a.Pointer, ReadOnly: readOnly}}
	if n, _ := a.Desc.Bytes(); n == 0 {
		c.Data.Pointer = 0
	}
	if s != NoStream {
		s = max(s, 1) // the interface forbids 0; the default stream is 1
		c.Stream = &s
	}
	return c, nil
}

// typeStr returns NumPy's name of a type with its byte order.
func typeStr(d spool.DType) string {
	switch d {
	case spool.Uint8:
		return "|u1"
	case spool.Uint16:
		return "<u2"
	case spool.Int16:
		return "<i2"
	case spool.Int32:
		return "<i4"
	case spool.Int64:
		return "<i8"
	case spool.Float16:
		return "<f2"
	case spool.Float32:
		return "<f4"
	case spool.Float64:
		return "<f8"
	case spool.BFloat16:
		return "<V2"
	}
	return ""
}
