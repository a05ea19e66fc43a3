// Package flac decodes FLAC (RFC 9639) in its own container, about twice as fast as FFmpeg and to the same samples. Where
// a stream is not as it should be the package steps aside: it names a [Reason], and the stream is FFmpeg's from there on.
//
//	h, reason, err := flac.ReadHeader(at) // at gives parts of the file
//	d, err := flac.New(h)
//	f, reason := d.Decode(data, first)    // the frame that begins at data
//	... f.Samples of each channel are at d.Planes()
//
// # Scope
//
// 4 to 32 bits, one to eight channels, blocks of fixed and of varying size, all subframes. Header, checksums, numbers and bounds of every
// frame are checked; the stream's MD5 is not.
//
// # Speed
//
// Most of the time goes to Rice codes and predictions. Here one look at the data serves several codes: these
// are found by counting zeros in a register of 64 bits, without a branch, and only when all have been taken a test tells
// whether they were there. Predictions have a loop for each order.
//
// # Safety
//
// Data are read up to their end, and samples written up to the largest block of the stream's header, whatever the bits are.
//
// Packages of this module only: no compatibility promise.
package flac
