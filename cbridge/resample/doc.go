// Package resample takes sound from one rate to another, and between formats and numbers of channels: a
// polyphase FIR filter, and the conversions before and after it.
//
//	samples of any format -> float32, channels mixed by a matrix -> filter -> float32 in planes -> Store
//
// A [Filter] is made for two rates and a [Quality] and kept by [Filters], which the caller owns. A
// [Resampler] has the state of one sound: [Resampler.Process] takes chunks as a decoder makes them, and one C
// call converts, mixes and filters each of them. [Mix] and [Store] do the conversions by themselves.
//
// How a sound is cut into chunks changes no sample, neither does the machine: sums are taken in one order,
// and products rounded before they are added, by every instruction set.
//
// Packages of this module only: no compatibility promise.
package resample
