// Package kernel is the pixel kernels: it takes the rows of a picture as a decoder makes them, resizes
// and converts them on the way, and stores them where the caller wants the result, in one pass and
// without a picture of full size in between.
//
// A [Plan] says what is to happen; [NewSink] makes a [Sink] for one picture. A decoder in C gets the
// sink's [Sink.Pointer] and pushes rows by the two functions of sink.h, inside its one cgo call; a decoder
// in Go calls [Sink.Push]. Rows go through
//
//	intake (alpha, luma) -> crop of columns -> horizontal pass -> ring of narrow rows -> vertical pass -> store
//
// and whatever a plan does not ask for is left out: a picture of its own size and form is decoded
// straight into the destination.
//
// Decoders that have luma and chroma planes leave the rest to a [Planes] in front of the sink: it makes
// RGB rows of them by the arithmetic of a library that is named, or resizes each plane at its own
// resolution and converts the result only. That is less work where what the planes hold is cheap to
// decode, and no bytes of anybody's: colours out of range are clamped after the mean, not before. On 150
// WebP files of photos to 224x224 it is off by a mean of 0.4 levels, on a few of saturated colours by 1.3,
// with a PSNR of 41 dB at least.
//
// # Arithmetic
//
// Both passes are integer, as torchvision has them for uint8: int16 weights, sums of 32 bits plus half
// of 2^precision, shifted right by precision and clamped to 0..255; uint8 between the passes; the
// horizontal pass first. Every instruction set gives the same bytes.
//
// # Memory, ownership, concurrency
//
// The package allocates no memory for pixels. A sink works in scratch memory that the caller gives, a few
// rows of the picture large (Plan.ScratchBytes); destination and scratch are lent until Close. A sink
// belongs to one goroutine at a time; plans are only read, and may be shared.
//
// There is no promise of compatibility: this package is for decode and transfer.
package kernel
