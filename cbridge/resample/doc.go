// Package resample takes sound from one rate to another, and between formats and numbers of channels: a
// polyphase FIR filter, and the conversions before and after it.
//
//	samples of any format -> float32, channels mixed by a matrix -> filter -> float32 in planes -> Store
//
// A [Filter] is made for two rates and a [Quality] and kept by [Filters], which the caller owns. A
// [Resampler] has the state of one sound: [Resampler.Process] takes chunks as a decoder makes them, and one C
// call converts, mixes and filters each of them. [Mix] and [Store] do the conversions by themselves.
//
// # Filter
//
// A sinc under a Kaiser window. Where there are as many phases as fit into 1 MB of coefficients each output has a row
// of its own, and is exact; for rates with a small common divisor, 44100 and 44099, rows lie 1/2048 of a sample of the
// lower rate apart, and what lies between two is interpolated (an error of 1e-6 of full scale at most). Output i is at
// the time i/out, without delay, and n samples become ceil(n*out/in). Before its first sample a sound is taken to be
// its mirror image about that sample, and behind its last one about half a sample behind it, as swresample does.
//
// # Arithmetic
//
// How a sound is cut into chunks changes no sample, neither do windows ([Resampler.Reset]) or instruction sets: a sum
// has eight parts, tap t belongs to part t modulo 8, the parts are added in halves; products are rounded before they
// are added, never fused. Plain C, SSE4.1, AVX2 and NEON give the same bits.
//
// # Cost
//
// A second of stereo from 44.1 to 16 kHz takes 0.12 ms of a core, mixed to mono 0.085 ms (AVX2, chunks of 1024); bare
// swresample takes 0.16 to 0.19 ms. In chunks of 4096 and more, outputs that share a row of coefficients are computed together,
// and mono takes 0.053 ms; from 8 to 16 kHz 0.018 ms. A filter that is not in the cache takes about 1 ms, one with interpolation 4 ms.
//
// Packages of this module only: no compatibility promise.
package resample
