// Package kernels is what devices do with pixels: bytes become floats, planes of video become RGB. The kernels are C (the .cu
// files), compiled to PTX ahead of time (ptx.py, make ptx) and embedded; the driver compiles that for its device when
// [Load] is called. Nothing of CUDA's is needed to build.
//
// # Twins
//
// Each has a twin in Go for the host (OnHost), written from the formula, which gives the same bytes: results do not
// depend on where they are made. Tests hold the two together, by the same source of the kernels compiled for the host
// (cuda/fake), and on a device where there is one.
//
// # Arithmetic
//
// A byte becomes (x / 255 - mean) / std in float32 arithmetic, each operation rounded, and float16 and bfloat16 are rounded from that,
// to nearest and ties to even: what decoding to floats gives (cbridge/kernel). There are no fused operations and no
// approximations: a block divides for each of 256 bytes, and then looks up.
//
// Video of 8 bits is converted as swscale does by default, cutting products off, with chroma repeated: the same bytes as decoding
// gives for frames of even height whose chroma is halved. Deeper samples give what is nearest to
// the real result of swscale's coefficients, within 0.51 of a step of 8 bits.
//
// # Concurrency
//
// [Kernels] is safe for concurrent use. Launches only queue; whoever queues them sees to it that pointers are good until they
// are done.
//
// Packages of this module only: no compatibility promise.
package kernels
