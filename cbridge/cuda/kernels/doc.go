// Package kernels has the CUDA kernels for pixels: they convert bytes to floats, and planes of video to RGB. The
// kernels are C (the .cu files), compiled ahead of time to PTX (ptx.py, make ptx) and embedded. [Load] makes the driver
// compile the PTX for its device. Building needs no CUDA tools or headers.
//
// # Twins
//
// Each kernel has a twin in Go for the host (OnHost), written from the formula. Both return the same bytes, so results
// do not depend on the device. Tests compare them, using the kernels' source compiled for the host (cuda/fake), and on
// a device if there is one.
//
// # Arithmetic
//
// A byte x becomes (x / 255 - mean) / std in float32 arithmetic, where each operation is rounded. float16 and bfloat16
// are rounded from that to nearest, ties to even. This equals decoding to floats (cbridge/kernel). Kernels multiply by
// inverses and correct the products, if the host has found that this gives the same bits for all bytes (scaled.h).
//
// 8-bit video is converted as swscale does by default: products are truncated, and chroma is repeated. For frames of
// even height with SubX 2, the bytes equal those of decoding. Deeper video is converted with swscale's coefficients and
// rounded to nearest, with an error below 0.51 of an 8-bit step.
//
// # Concurrency
//
// [Kernels] is safe for concurrent use. Launches are only queued: the caller must keep the memory valid until they are
// done.
//
// This package is internal to the module: no compatibility promise.
package kernels
