//go:build cuda

package gorgonia

import (
	"unsafe"

	"gorgonia.org/cu"

	"github.com/spoolmedia/spool/transfer"
)

// Stream is one of cu's as transfer.Batch.WaitOn takes it.
func Stream(s cu.Stream) transfer.Stream { return transfer.Stream(unsafe.Pointer(s.C())) }

// Pointer is where an array begins; 0 where it is not on a CUDA device. It is valid until the batch's Release.
func Pointer(a transfer.Array) cu.DevicePtr { return cu.DevicePtr(a.Pointer) }
