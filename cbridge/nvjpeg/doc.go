// Package nvjpeg calls nvJPEG, NVIDIA's JPEG decoder for its devices, which it loads at run time: neither building nor
// starting a program needs anything of CUDA, and a machine without it gives an error from [Load] that says so.
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
// A [Codec] is the library's handle, a [State] what decodes one batch at a time, into memory of the device. All but
// Load MUST be called with the device's primary context current on the calling thread.
//
// # Pixels
//
// They are RGB, interleaved, 8 bits. nvJPEG's inverse DCT and upsampling are its own: the pixels are close to
// libjpeg-turbo's, and not the same. Colours are upsampled with interpolation where the library can (12.1 and later, not
// in the hardware's lane).
//
// # Errors
//
// Errors are a *spool.Error with the library's status as its code and the name of the call; their cause is a [Status],
// which says whether it was the picture ([Status.Refusal]) or the device. The library is asked to be strict with
// bitstreams; what the hardware's lane does not notice of damage nobody does.
//
// # Concurrency
//
// A Codec is safe for concurrent use, a State belongs to one goroutine at a time. [InUse] counts what is left.
//
// Packages of this module only: no compatibility promise.
package nvjpeg
