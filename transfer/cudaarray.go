package transfer

import (
	"encoding/json"
	"fmt"

	"github.com/spoolmedia/spool"
)

// CUDAArray is what __cuda_array_interface__ says of an array on a CUDA device, version 3: what Numba, CuPy, PyTorch
// and others take from each other in Python. As JSON it is that dictionary.
type CUDAArray struct {
	Shape   []int         `json:"shape"`
	TypeStr string        `json:"typestr"` // NumPy's, "|u1"; of bfloat16 that of the package ml_dtypes
	Data    CUDAArrayData `json:"data"`
	Version int           `json:"version"`
	Strides []int         `json:"strides"` // nil: C order, without gaps
	Stream  *Stream       `json:"stream"`  // that a consumer has to follow; nil for none
}

// CUDAArrayData is where the elements are: [pointer, read only] as JSON.
type CUDAArrayData struct {
	Pointer  uint64 // 0 where there are none
	ReadOnly bool
}

// MarshalJSON gives a list of two.
func (d CUDAArrayData) MarshalJSON() ([]byte, error) {
	return json.Marshal([]any{d.Pointer, d.ReadOnly})
}

// CUDAArray describes array i to consumers that use it behind what is queued in stream s, for which
// [Batch.WaitOn] is called; see [Batch.DLPack] about s. It keeps nothing: the batch has to be held while consumers
// queue work in that stream, or in others that it follows before Release. spool.ErrOptions of an array in the host's memory.
func (b *Batch) CUDAArray(i int, s Stream, readOnly bool) (CUDAArray, error) {
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
		s = max(s, 1) // 0 says nothing there: the default stream is 1
		c.Stream = &s
	}
	return c, nil
}

// typeStr is NumPy's name of a type with its byte order.
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
	case spool.BFloat16:
		return "<V2"
	}
	return ""
}
