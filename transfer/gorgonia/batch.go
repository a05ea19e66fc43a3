//go:build cuda

package gorgonia

import (
	"unsafe"

	"gorgonia.org/cu"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/transfer"
)

// Stream converts a stream of cu for transfer.Batch.WaitOn.
func Stream(s cu.Stream) spool.DeviceStream { return spool.DeviceStream(unsafe.Pointer(s.C())) }

// Pointer returns the address of an array; 0 if it is not on a CUDA device. It is valid until the batch's Release.
func Pointer(a transfer.Array) cu.DevicePtr { return cu.DevicePtr(a.Pointer) }
