// Package gorgonia connects batches to programs that use gorgonia.org/cu. It has a cu context on the device that
// batches are copied to, converts cu's streams for WaitOn, and returns cu's pointers to arrays.
//
//	device, err := transfer.Open("cuda:0", transfer.DeviceOptions{})
//	ctx, err := gorgonia.NewContext(device) // a cu.Context
//	stream, err := ctx.MakeStream(cu.DefaultStream)
//	// ... b comes from a copier of that device ...
//	err = b.WaitOn(gorgonia.Stream(stream))
//	ctx.LaunchKernel(f, ..., stream, arguments of gorgonia.Pointer(b.Arrays()[0]))
//	b.Release()
//
// The package is built with the tag "cuda" only, and is a separate module: cu links the CUDA driver and exits at
// program start without it, so programs get it only on request. It needs CUDA's headers (11 or 12: it does not compile
// with those of 13) and a libcuda.so to link with, of which the toolkit has a stub. test.sh shows how to get both
// without the toolkit.
package gorgonia
