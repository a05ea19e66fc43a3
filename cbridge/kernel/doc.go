// Package kernel holds the pixel kernels. It takes the rows of an image while a decoder produces them, resizes and
// converts them, and stores the result in the caller's memory. It does this in one pass, without an intermediate image
// of full size.
//
// A [Plan] describes the operations; [NewSink] makes a [Sink] for one image. A decoder in C gets the sink's
// [Sink.Pointer] and pushes rows with the two functions of sink.h, inside its one cgo call. A decoder in Go calls
// [Sink.Push]. Rows go through
//
//	intake (depth, alpha, luma) -> crop of columns -> a pass -> rows or sums -> the other pass -> store
//
// Steps that a plan does not need are skipped: an image with the output's size and layout is decoded straight into the
// destination.
//
// # Order and orientation
//
// Orientation needs no extra buffer of rows. If an image is stored rotated by 90 degrees, its axes are exchanged: the
// horizontal pass of the upright image is the vertical pass of the stored rows. The passes run in the other order, and
// finished rows are stored as columns, 16 at a time. If an image is stored mirrored, its windows are counted from the
// other end. Sums are integers, so the pixels equal those of the upright image in whatever order they are added.
//
// # Planes
//
// A decoder that outputs planes pushes them into [Planes], which precede a sink, with planes.h. Chroma is interpolated
// and converted as in libwebp, or each plane is resized at its own resolution and only the pixels of the result are
// converted. The latter serves JPEG and video. Video frames may have any matrix and range, 8 to 16 bits, and
// interleaved chroma ([Video]). 8-bit 4:2:0 to 224x224 RGB takes 34 us from 340x256 and 130 us from 1280x720 with
// AVX-512, and 37 and 195 us with AVX2, on one core (go test -bench Video). Later frames of the same geometry reuse the
// sinks (Begin).
//
// # Arithmetic
//
// Both passes are integer. 8-bit samples have weights of 16 bits, as in torchvision, or of up to 24 bits, as in Pillow.
// Their sums have 32 bits, in which the halves of a wide weight may wrap around. 16-bit samples have 32-bit weights and
// 64-bit sums. A sum plus half of 2^precision is shifted right by precision and clamped. Samples between the passes
// have the same depth as before them. When 16-bit samples become uint8, their low byte is dropped first. Every
// instruction set gives the same bytes.
//
// # Several results
//
// A [Tee] passes the rows of one decode to several sinks, such as those of random crops. Each has the output that it
// has without the tee.
//
// # Memory, ownership, concurrency
//
// The package allocates no memory for pixels. A sink works in scratch memory of the caller that holds a few rows of the
// image (Plan.ScratchBytes). Short windows are kept as rows; for long windows, one row of sums is kept for each window
// that has begun. The sink borrows destination and scratch until Close. A sink belongs to one goroutine at a time.
// Plans are read only and may be shared.
//
// The package serves decode and transfer and makes no compatibility promise.
package kernel
