// Package kernel is the pixel kernels: it takes the rows of a picture as a decoder makes them, resizes
// and converts them on the way, and stores them where the caller wants the result, in one pass and
// without a picture of full size in between.
//
// A [Plan] says what is to happen; [NewSink] makes a [Sink] for one picture. A decoder in C gets the
// sink's [Sink.Pointer] and pushes rows by the two functions of sink.h, inside its one cgo call; a decoder
// in Go calls [Sink.Push]. Rows go through
//
//	intake (depth, alpha, luma) -> crop of columns -> a pass -> rows or sums -> the other pass -> store
//
// and whatever a plan does not ask for is left out: a picture of its own size and form is decoded
// straight into the destination.
//
// # Order and orientation
//
// Rows are never kept for the sake of an orientation. A picture that is stored on its side has its axes
// exchanged: what is the horizontal pass to the upright picture is the vertical one to the rows that come, the
// passes run in the other order, and finished rows are stored as columns, 16 at a time. One that is
// stored mirrored has its windows counted from the other end. Since sums are integers, the pixels are
// those of the upright picture, whatever the order in which they were added.
//
// # Planes
//
// A decoder that has a picture in planes pushes these into [Planes], in front of a sink, by planes.h. They are
// interpolated and converted as libwebp does it, or each is resized at its own resolution and only the pixels of the
// result are converted: of JPEG, and of video, whose frames may have any matrix and range, 8 to 16 bits, and chroma in
// pairs ([Video]). 4:2:0 of 8 bits to 224x224 RGB takes 34 us from 340x256 and 130 us from 1280x720 with AVX-512, 37 and
// 195 with AVX2, on one core (go test -bench Video). A frame after another of the same form needs no new sinks (Begin).
//
// # Arithmetic
//
// Both passes are integer. Samples of 8 bits have weights of 16 bits, as torchvision has them, or of up to
// 24, as Pillow has them, and sums of 32, in which the halves of a wide weight may wrap around; samples of 16
// bits have weights of 32 and sums of 64. A sum plus half of 2^precision is shifted right by precision
// and clamped; between the passes samples have the depth they had before. Samples of 16 bits that
// become uint8 lose their low byte before all else. Every instruction set gives the same bytes.
//
// # Memory, ownership, concurrency
//
// The package allocates no memory for pixels. A sink works in scratch memory that the caller gives, some
// rows of the picture large (Plan.ScratchBytes): short windows are kept as rows, and long ones as sums, one
// row of them for each window that has begun. Destination and scratch are lent until Close. A sink
// belongs to one goroutine at a time; plans are only read, and may be shared.
//
// There is no promise of compatibility: this package is for decode and transfer.
package kernel
