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
// The package is a separate module that is built only with the tag "cuda". The reason is that cu links the CUDA driver:
// a program with cu exits at its start if there is no driver.
//
// A build needs the headers of CUDA 11 or 12 (cu does not compile with those of 13) and a libcuda.so to link with. The
// CUDA toolkit has both, with a stub as libcuda.so. test.sh shows how to get them without the toolkit.
package gorgonia
