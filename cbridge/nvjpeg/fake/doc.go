// Package fake is a simulated nvJPEG for tests without a device. It is a shared library with the entry points that
// cbridge/nvjpeg uses. It decodes with libjpeg and writes to the memory of a simulated driver (cbridge/cuda/fake), in
// its streams. It is never linked into a program: tests load its file in place of the real library.
//
// These are violations: to use a state while its images are in flight, to change an image's bytes before it is decoded,
// and to call without a context. Any call can be made to fail.
//
// Two things are not simulated: damage that the library overlooks, and pixels that differ from libjpeg's.
//
// The package is for this module only and makes no compatibility promise.
package fake
