// Package gorgonia brings batches to programs that use gorgonia.org/cu: a context of cu's on the device that batches are
// copied to, cu's streams for them to be waited for in, and cu's pointers to their arrays.
//
//	device, err := transfer.Open("cuda:0", transfer.DeviceOptions{})
//	ctx, err := gorgonia.NewContext(device) // a cu.Context
//	stream, err := ctx.MakeStream(cu.DefaultStream)
//	// ... b comes from a copier of that device ...
//	err = b.WaitOn(gorgonia.Stream(stream))
//	ctx.LaunchKernel(f, ..., stream, arguments of gorgonia.Pointer(b.Arrays()[0]))
//	b.Release()
//
// All of it is built with the tag "cuda" only, and in a module of its own: cu links the CUDA driver and ends a
// program at its start where there is none, so that nobody gets it who did not ask for it. It takes CUDA's headers (11 or 12: it does
// not compile with those of 13) and a libcuda.so to link with, of which the toolkit has a stub; test.sh shows how both are had without it.
package gorgonia
