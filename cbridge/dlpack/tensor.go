package dlpack

/*
#cgo CFLAGS: -O2 -Wall -Wextra -Werror
#cgo noescape spool_dlpack_plain
#cgo nocallback spool_dlpack_plain
#cgo noescape spool_dlpack_versioned
#cgo nocallback spool_dlpack_versioned
#include "tensor.h"
*/
import "C"

import (
	"fmt"
	"runtime"
	"runtime/cgo"
	"unsafe"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/mem"
)

// DeviceType is the type of memory that holds an array, with DLPack's values.
type DeviceType int32

// The supported types of memory.
const (
	CPU      DeviceType = C.kDLCPU
	CUDA     DeviceType = C.kDLCUDA
	CUDAHost DeviceType = C.kDLCUDAHost // pinned host memory for CUDA devices
)

// MaxDims is the maximum number of dimensions of an array.
const MaxDims = C.SPOOL_DLPACK_DIMENSIONS

// Array is the content of a tensor: elements in C order without gaps.
type Array struct {
	Desc    spool.Desc
	Bytes   []byte // the memory, for CPU and CUDAHost
	Pointer uint64 // a CUdeviceptr, for CUDA
	Device  DeviceType
	Number  int // the CUDA device's index, otherwise 0
}

// Options select the DLPack structure and its flags.
type Options struct {
	// Versioned selects DLManagedTensorVersioned of DLPack 1.x, for consumers that request it. The default is
	// DLManagedTensor, which all consumers know.
	Versioned bool
	ReadOnly  bool // the consumer must not write. Versioned only
	Copied    bool // the memory is a copy, used by no other. Versioned only
}

// New exports an array as a tensor and returns its address in C memory, a *DLManagedTensor or
// *DLManagedTensorVersioned. The tensor's deleter frees the tensor and calls release, on the thread that calls it.
//
//   - Ownership: the caller owns the tensor, and passes it to a consumer or ends it with Delete. On error release is
//     not called.
//   - Errors: spool.ErrShape if the shape has too many dimensions, is invalid or has more elements than Bytes holds.
//     spool.ErrUnsupported for a dtype that DLPack does not have. spool.ErrOptions if ReadOnly or Copied is set without
//     Versioned. spool.ErrOutOfMemory.
//   - Cost: about a microsecond including the deleter; no copy.
func New(a Array, o Options, release func()) (unsafe.Pointer, error) {
	d, err := describe(a, o)
	if err != nil {
		return nil, err
	}
	memory, err := mem.Alloc(mem.Tensor, C.sizeof_spool_dlpack)
	if err != nil {
		return nil, err
	}
	t := (*C.spool_dlpack)(memory)
	stride := 1
	for i, n := range a.Desc.Shape {
		t.shape[i] = C.int64_t(n)
	}
	for i := len(a.Desc.Shape) - 1; i >= 0; i-- {
		t.strides[i] = C.int64_t(stride)
		stride *= max(a.Desc.Shape[i], 1)
	}
	k := &keeper{release: release}
	data := uintptr(a.Pointer)
	if a.Device != CUDA {
		at := unsafe.Pointer(unsafe.SliceData(a.Bytes))
		k.memory.Pin(at) // Go memory, as in race builds
		data = uintptr(at)
	}
	if n, _ := a.Desc.Bytes(); n == 0 {
		data = 0
	}
	t.handle = C.uintptr_t(cgo.NewHandle(k))
	if o.Versioned {
		C.spool_dlpack_versioned(t, &d, C.uintptr_t(data), flags(o))
	} else {
		C.spool_dlpack_plain(t, &d, C.uintptr_t(data))
	}
	return memory, nil
}

// describe returns the fields of the tensor that need no memory: all but data, shape and strides.
func describe(a Array, o Options) (C.DLTensor, error) {
	d := C.DLTensor{ndim: C.int32_t(len(a.Desc.Shape)),
		device: C.DLDevice{device_type: C.DLDeviceType(a.Device), device_id: C.int32_t(a.Number)}}
	n, ok := a.Desc.Bytes()
	switch {
	case len(a.Desc.Shape) > MaxDims:
		return d, fmt.Errorf("%w: dlpack: %v has more than %d dimensions", spool.ErrShape, a.Desc, MaxDims)
	case a.Desc.DType.Size() > 0 && (!ok || a.Device != CUDA && n > len(a.Bytes)):
		return d, fmt.Errorf("%w: dlpack: %v of %d bytes", spool.ErrShape, a.Desc, len(a.Bytes))
	case !o.Versioned && (o.ReadOnly || o.Copied):
		return d, fmt.Errorf("%w: dlpack: ReadOnly and Copied need a versioned tensor", spool.ErrOptions)
	}
	code, ok := code(a.Desc.DType)
	if !ok {
		return d, &spool.Error{Op: "dlpack", Class: spool.ErrUnsupported, Text: "no type for " + a.Desc.DType.String()}
	}
	d.dtype = C.DLDataType{code: code, bits: C.uint8_t(8 * a.Desc.DType.Size()), lanes: 1}
	return d, nil
}

func code(d spool.DType) (code C.uint8_t, ok bool) {
	switch d {
	case spool.Uint8, spool.Uint16:
		return C.kDLUInt, true
	case spool.Int16, spool.Int32, spool.Int64:
		return C.kDLInt, true
	case spool.Float16, spool.Float32, spool.Float64:
		return C.kDLFloat, true
	case spool.BFloat16:
		return C.kDLBfloat, true
	}
	return 0, false
}

func flags(o Options) (bits C.uint64_t) {
	if o.ReadOnly {
		bits |= C.DLPACK_FLAG_BITMASK_READ_ONLY
	}
	if o.Copied {
		bits |= C.DLPACK_FLAG_BITMASK_IS_COPIED
	}
	return bits
}

// Delete ends a tensor that no consumer took, as its deleter would.
func Delete(tensor unsafe.Pointer) { spoolDLPackEnd((*C.spool_dlpack)(tensor)) }

// keeper holds what a tensor keeps alive.
type keeper struct {
	memory  runtime.Pinner
	release func()
}

//export spoolDLPackEnd
func spoolDLPackEnd(t *C.spool_dlpack) {
	h := cgo.Handle(t.handle)
	k := h.Value().(*keeper)
	h.Delete()
	mem.Free(mem.Tensor, unsafe.Pointer(t), C.sizeof_spool_dlpack)
	k.memory.Unpin()
	k.release()
}
