// Package fake is a simulated NVDEC for tests, which needs no device. It has libcuda.so.1 and libnvcuvid.so.1, as
// FFmpeg loads them, on top of the simulated driver of cbridge/cuda/fake. It does not decode: a frame is the checksum
// of its bitstream, repeated every eight bytes of its luma. So tests can identify each frame.
//
// Both libraries stay loaded, and the process can have no other driver. Tests that use them must be in separate
// packages. Violations are decoding into a mapped surface, unmapping twice, and calls without a context. The simulated
// driver detects its own violations, and surfaces that are overwritten before a read has finished. Any call can be made
// to fail.
//
// The package is for this module only and makes no compatibility promise.
package fake
