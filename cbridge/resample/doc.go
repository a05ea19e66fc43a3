// Package resample converts audio between sample rates, formats and numbers of channels. It has a polyphase FIR filter,
// and the conversions before and after it.
//
//	samples of any format -> float32, channels mixed by a matrix -> filter -> float32 in planes -> Store
//
// A [Filter] is made for two rates and a [Quality]. It is cached in [Filters], which the caller owns. A [Resampler] has
// the state of one audio stream: [Resampler.Process] takes chunks as a decoder outputs them, and one C call converts,
// mixes and filters each chunk. [Mix] and [Store] do only the conversions.
//
// # Filter
//
// The filter is a sinc under a Kaiser window. If a row of coefficients for each phase fits into 1 MiB, each output has
// its own row and is exact. For rates with a small common divisor, such as 44100 and 44099, rows are 1/2048 of a sample
// of the lower rate apart. Coefficients between two rows are interpolated, with an error of at most 1e-6 of full scale.
// Output i is at the time i/out, without delay, and n samples become ceil(n*out/in). The input is extended by its
// mirror image at both ends, as in swresample. The first mirror is at the first sample, and the second one is half a
// sample after the last sample.
//
// # Arithmetic
//
// Chunk sizes, windows ([Resampler.Reset]) and instruction sets do not change any sample. A sum has eight parts: tap t
// belongs to part t modulo 8, and the parts are added in halves. Products are rounded before they are added, never
// fused. Plain C, SSE4.1, AVX2 and NEON give the same bits.
//
// # Cost
//
// A second of stereo from 44.1 to 16 kHz takes 0.12 ms of a core, mixed to mono 0.085 ms (AVX2, chunks of 1024); bare
// swresample takes 0.16 to 0.19 ms. In chunks of 4096 and more, outputs that share a row of coefficients are computed
// together: mono takes 0.053 ms, and from 8 to 16 kHz 0.018 ms. The design of a filter that is not in the cache takes
// about 1 ms, with interpolation 4 ms.
//
// The package is for this module only and makes no compatibility promise.
package resample
