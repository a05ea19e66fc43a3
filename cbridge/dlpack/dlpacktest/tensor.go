package dlpacktest

/*
#cgo CFLAGS: -O1 -Wall -Wextra -Werror -pthread
#cgo LDFLAGS: -pthread
#include "delete.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"unsafe"
)

// Tensor has the fields that a consumer reads.
type Tensor struct {
	Major, Minor uint32 // of a versioned tensor
	Flags        uint64
	Data         uintptr
	Device       int32
	Number       int32
	Code, Bits   uint8
	Lanes        uint16
	Shape        []int64
	Strides      []int64
	Offset       uint64

	address unsafe.Pointer
	deleter int // its offset
}

// Take reads a tensor. The caller owns it until it calls one of the Delete methods.
func Take(tensor unsafe.Pointer, versioned bool) Tensor {
	t := Tensor{address: tensor, deleter: 56}
	body := tensor
	if versioned {
		t.Major, t.Minor, t.Flags = at[uint32](tensor, 0), at[uint32](tensor, 4), at[uint64](tensor, 24)
		t.deleter, body = 16, unsafe.Add(tensor, 32)
	}
	t.Data, t.Device, t.Number = at[uintptr](body, 0), at[int32](body, 8), at[int32](body, 12)
	t.Code, t.Bits, t.Lanes = at[uint8](body, 20), at[uint8](body, 21), at[uint16](body, 22)
	dimensions := at[int32](body, 16)
	t.Shape = append(t.Shape, unsafe.Slice(at[*int64](body, 24), dimensions)...)
	t.Strides = append(t.Strides, unsafe.Slice(at[*int64](body, 32), dimensions)...)
	t.Offset = at[uint64](body, 40)
	return t
}

func at[T any](p unsafe.Pointer, offset int) T { return *(*T)(unsafe.Add(p, offset)) }

// Bytes returns the elements of a tensor in host memory.
func (t Tensor) Bytes() []byte {
	n := int(t.Bits) / 8 * int(t.Lanes)
	for _, d := range t.Shape {
		n *= int(d)
	}
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Add(at[unsafe.Pointer](unsafe.Pointer(&t.Data), 0), t.Offset)), n)
}

// Delete calls the deleter.
func (t Tensor) Delete() { C.dlpacktest_delete(t.address, C.int(t.deleter)) }

// DeleteElsewhere calls the deleter on a thread created by C.
func (t Tensor) DeleteElsewhere() error {
	if C.dlpacktest_delete_elsewhere(t.address, C.int(t.deleter)) != 0 {
		return errors.New("no thread")
	}
	return nil
}

// DeleteInChild calls the deleter in a forked child process, which has only that thread.
func (t Tensor) DeleteInChild() error {
	if status := C.dlpacktest_delete_in_child(t.address, C.int(t.deleter)); status != 0 {
		return fmt.Errorf("the child ended with status %#x", int(status))
	}
	return nil
}
