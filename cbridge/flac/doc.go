// Package flac decodes FLAC (RFC 9639) in its native container. It takes 0.4 of the time of FFmpeg and returns the
// same samples. If a stream is unsupported or damaged, the package returns a [Reason], and the caller decodes the rest
// of the stream with FFmpeg.
//
//	h, reason, err := flac.ReadHeader(view) // view reads parts of the file
//	d, err := flac.New(h)
//	f, reason := d.Decode(data, first)      // the frame at the start of data
//	... f.Samples of each channel are at d.Planes()
//
// # Scope
//
// The package supports 4 to 32 bits, one to eight channels, fixed and variable block sizes, and all subframes. It
// checks the header, checksums, numbers and bounds of every frame. It does not check the stream's MD5.
//
// # Speed
//
// Rice codes and predictions take most of the time. The decoder reads several codes at once: it finds them by counting
// zeros in a 64-bit register without a branch. After all have been read, one test checks that the data had enough bits.
// Predictions have a loop for each order.
//
// # Safety
//
// For any input, the decoder reads within the data and writes at most the samples of the largest block in the stream's
// header.
//
// This package is internal to the module: no compatibility promise.
package flac
