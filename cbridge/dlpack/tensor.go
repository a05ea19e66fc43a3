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

// DeviceType says what memory an array lies in, by DLPack's numbers.
type DeviceType int32

// The kinds of memory there are.
const (
	CPU      DeviceType = C.kDLCPU
	CUDA     DeviceType = C.kDLCUDA
	CUDAHost DeviceType = C.kDLCUDAHost // the host's, locked for CUDA devices
)

// MaxDims is how many dimensions an array may have.
const MaxDims = C.SPOOL_DLPACK_DIMENSIONS

// Array is what a tensor shows: elements in C order without gaps.
type Array struct {
	Desc    spool.Desc
	Bytes   []byte // of CPU and CUDAHost: its memory
	Pointer uint64 // of CUDA: a CUdeviceptr
	Device  DeviceType
	Number  int // of the CUDA device; 0 of others
}

// Options say which of DLPack's structures an array becomes.
type Options struct {
	// Versioned makes a DLManagedTensorVersioned of DLPack 1.x, for consumers that ask for it; the default is a
	// DLManagedTensor, that all know.
	Versioned bool
	ReadOnly  bool // the consumer must not write. Versioned only
	Copied    bool // nobody else has the memory. Versioned only
}

// New makes a tensor of an array and gives its address, a *DLManagedTensor or *DLManagedTensorVersioned in C's
// memory. Its deleter calls release, on whatever thread the consumer calls it, and frees it.
//
//   - Ownership: the tensor is the caller's, who hands it to a consumer, or ends it by Delete. On error release is not called.
//   - Errors: spool.ErrShape of a shape that has too many dimensions or none of the memory's size; spool.ErrUnsupported
//     of a type that DLPack does not know; spool.ErrOptions where ReadOnly cannot be said.
//   - Cost: about a microsecond, the deleter included; no copy.
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
		k.memory.Pin(at) // where it is Go's, as in race builds
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

// describe is what does not lie in memory of its own.
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
		return d, fmt.Errorf("%w: dlpack: only a versioned tensor says that it is read only, or a copy", spool.ErrOptions)
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
	case spool.Float16, spool.Float32:
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

// Delete ends a tensor that no consumer took, as its deleter does.
func Delete(tensor unsafe.Pointer) { spoolDLPackEnd((*C.spool_dlpack)(tensor)) }

// keeper is what a tensor holds.
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
