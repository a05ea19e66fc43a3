// Package nvjpeg calls nvJPEG, NVIDIA's JPEG decoder for its devices. The library is loaded at run time: neither
// building nor starting a program needs CUDA. On a machine without it, [Load] returns an error.
//
//	library, err := nvjpeg.Load("")
//	err = context.Within(func() error { // cbridge/cuda's: nvJPEG works in the context that is current
//		codec, err := library.Open(nvjpeg.Auto)
//		...
//		state, err := codec.NewState()
//		...
//		return state.Decode(items, 1, stream)
//	})
//
// A [Codec] is a library handle. A [State] decodes one batch at a time into device memory. All functions except Load
// MUST be called with the device's primary context current on the calling thread.
//
// # Pixels
//
// Pixels are interleaved 8-bit RGB. nvJPEG has its own inverse DCT and upsampling: the pixels are close to
// libjpeg-turbo's, but not equal. Chroma is upsampled with interpolation if the library supports it (12.1 and later,
// not with [Hardware]).
//
// # Errors
//
// Errors are a *spool.Error with the library's status as its code and the name of the call. Their cause is a [Status],
// which tells a refused image ([Status.Refusal]) from a failure of the device. The library parses bitstreams strictly.
// Damage that the JPEG engine overlooks is not detected.
//
// # Concurrency
//
// A Codec is safe for concurrent use. A State belongs to one goroutine at a time. [InUse] counts open codecs and
// states.
//
// The package is for this module only and makes no compatibility promise.
package nvjpeg
