// Package fake is NVDEC without a device, for tests: libcuda.so.1 and libnvcuvid.so.1 as FFmpeg looks for them, over the
// fake driver of cbridge/cuda/fake. It does not decode: a picture is the sum of its bitstream, which fills every eight bytes of
// its luma, so that a test knows which picture it sees.
//
// Both stay loaded, and the process has no other driver from then on: tests that use them are packages of their own.
// A surface that is decoded into while it is mapped, or unmapped twice, and calls without a context are violations; those of
// the driver are seen as well, as is a surface that is filled anew before who reads it is through. Any call can be
// made to fail.
package fake
