// Package fake is a simulated CUDA driver for tests, which needs no device. It is a shared library with the functions
// that cbridge/cuda uses, and device memory is host memory. build.sh builds it from driver/ with a C compiler. It is
// never linked into a program: tests pass its file to code that loads the real driver.
//
// Streams are asynchronous. Each has a thread, and operations can be delayed at random. The driver checks that accesses
// to the same bytes are ordered by events or by waits of the host. Reading, freeing or overwriting bytes too early is a
// violation, even if it did no harm in this run. Other violations are the use of released handles, calls without a
// context, and host memory that changes while a copy reads it. Any call and any stream operation can be made to fail,
// once or with the device lost.
//
// Kernels are those of cbridge/cuda/kernels: their source is compiled into the driver, and they run in streams like
// copies.
//
// The driver has no other kernels. Its default stream does not synchronize with other streams, and memory belongs to
// one device.
//
// The package is for this module only and makes no compatibility promise.
package fake
