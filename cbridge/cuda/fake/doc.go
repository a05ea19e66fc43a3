// Package fake is a CUDA driver without a device, for tests: a shared library with the entry points that cbridge/cuda
// uses, over the host's memory, built from driver/ by build.sh with a C compiler. It is never linked into a program:
// tests hand its file to whoever loads the real driver.
//
// Streams run behind, each in a thread of its own, with delays if wished. Every operation is checked to come
// behind those that touch the same bytes, by events or by a host that waited: what may be read or freed too early, or
// be overwritten while it is in use, is a violation, whether or not it came to harm this time. So are the use of what
// was ended, calls without a context, and host memory that changes while a copy reads it. Any call, and any operation
// of a stream, can be made to fail, once or with the device lost for good.
//
// Kernels are those of cbridge/cuda/kernels: their source is compiled with the driver, and runs in a stream as copies do.
//
// What it does not have: other kernels, the default stream's waiting for other streams, memory of several devices at once.
package fake
