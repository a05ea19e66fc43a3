package main

/*
#include "array.h"
*/
import "C"

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unsafe"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/dlpack"
)

// dtypes maps element types to the codes of DLPack.
var dtypes = map[spool.DType]C.int32_t{
	spool.Uint8: C.SPOOL_UINT, spool.Uint16: C.SPOOL_UINT,
	spool.Int16: C.SPOOL_INT, spool.Int32: C.SPOOL_INT, spool.Int64: C.SPOOL_INT,
	spool.Float16: C.SPOOL_FLOAT, spool.Float32: C.SPOOL_FLOAT, spool.Float64: C.SPOOL_FLOAT,
	spool.BFloat16: C.SPOOL_BFLOAT,
}

// describe fills a view, except for its memory.
func describe(view *C.spool_array_view, d spool.Desc) error {
	if len(d.Shape) > C.SPOOL_MAX_DIMS {
		return fmt.Errorf("%w: %v has more than %d dimensions", spool.ErrInternal, d, C.SPOOL_MAX_DIMS)
	}
	n, _ := d.Bytes()
	*view = C.spool_array_view{size: C.int64_t(n), dtype_code: dtypes[d.DType], dtype_bits: C.int32_t(8 * d.DType.Size()),
		device_type: C.SPOOL_CPU, ndim: C.int32_t(len(d.Shape))}
	if d.Layout != spool.Flat {
		putText(view.layout[:], d.Layout.String())
	}
	stride := 1
	for i := len(d.Shape) - 1; i >= 0; i-- {
		view.shape[i], view.strides[i] = C.int64_t(d.Shape[i]), C.int64_t(stride)
		stride *= d.Shape[i]
	}
	return nil
}

// spool_array is the Go side of an array that C holds.
type spool_array struct {
	dlpack.Array
	io.Closer
}

// handArray passes memory to C, which must not be on the Go heap. The owner is closed when the last holder has released
// the array, or at once on error.
func handArray(a dlpack.Array, owner io.Closer) (*C.spool_array, error) {
	var view C.spool_array_view
	if err := describe(&view, a.Desc); err != nil {
		return nil, errors.Join(err, owner.Close())
	}
	number := register(&spool_array{a, owner})
	view.device_type, view.device_id = C.int32_t(a.Device), C.int32_t(a.Number)
	array := C.spool_array_make(&view, unsafe.Pointer(unsafe.SliceData(a.Bytes)), C.uint64_t(a.Pointer), number)
	if array == nil {
		return nil, errors.Join(spool.ErrOutOfMemory, release[*spool_array](number))
	}
	return array, nil
}

// newArray passes host memory to C.
func newArray(d spool.Desc, memory []byte, owner io.Closer) (*C.spool_array, error) {
	return handArray(dlpack.Array{Desc: d, Bytes: memory, Device: dlpack.CPU}, owner)
}

// bufferRef is a buffer of which C holds a reference.
type bufferRef struct{ *spool.Buffer }

func (h bufferRef) Close() error {
	h.Release()
	return nil
}

// bufferArray passes a buffer to C.
func bufferArray(b *spool.Buffer) (*C.spool_array, error) {
	return newArray(b.Desc(), b.Bytes(), bufferRef{b})
}

// textArray passes a text to C.
func textArray(text []byte) (*C.spool_array, error) {
	b, err := library.results.Get(context.Background(), len(text)+1)
	if err != nil {
		return nil, err
	}
	room := b.Bytes()
	room[copy(room, text)] = 0
	b.SetDesc(spool.Desc{Shape: spool.Shape{len(text)}})
	return bufferArray(b)
}

// jsonArray passes a value to C as JSON.
func jsonArray(value any) (*C.spool_array, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return textArray(text)
}

//export goArrayRelease
func goArrayRelease(owner C.uintptr_t) {
	guard(nil, "release", func() error { return release[*spool_array](owner) })
}

//export goArrayDLPack
func goArrayDLPack(owner C.uintptr_t, array *C.spool_array, versioned, readOnly C.int32_t, tensor *unsafe.Pointer,
	e *C.spool_error) C.int32_t {
	return guard(e, "dlpack", func() error {
		return use(owner, func(_ context.Context, a *spool_array) (err error) {
			o := dlpack.Options{Versioned: versioned != 0, ReadOnly: readOnly != 0}
			*tensor, err = dlpack.New(a.Array, o, func() { C.spool_array_release(array) })
			if err == nil {
				C.spool_array_retain(array)
			}
			return err
		})
	})
}
