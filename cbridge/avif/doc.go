// Package avif decodes AVIF pictures and sequences with libavif (dav1d, libyuv): a [Decoder] for a file,
// one C call a picture, whose rows go to a row sink of cbridge/kernel.
//
// # Pixels
//
// Rows are uint8 RGB or RGBA, or uint16 in the machine's byte order with the full range of 0..65535, as
// stored: what the file says of rotation and mirroring is Header.Orientation, its clean aperture is not
// applied. They are the same bytes as Pillow's, which decodes by libavif as well: 4:2:0, 4:2:2, 4:4:4 and
// 4:0:0, full and limited range, BT.601, BT.709, BT.2020 and what else libavif knows, with or without
// alpha, premultiplied or not; of 10 and 12 bits as well, of which Pillow drops the low bits before it
// converts. Chroma is interpolated as Pillow has it by default. A picture with alpha gives RGBA: leave
// alpha out as Pillow's convert does.
//
// # Damage
//
// AV1 data carry no checksum: a picture can be wrong without anybody knowing. What the decoder does
// refuse is refused as a whole; there is no part of a picture that could be accepted. libavif does not
// always tell a file that ends early from one that contradicts itself: both can be corrupt.
//
// # Memory
//
// The decoder holds the picture's planes, Header.Memory in all, until Close. Conversion to RGB goes band
// by band through scratch memory of a few dozen rows. A header costs none, whatever it promises.
//
// Decoding runs on the calling thread. dav1d cannot be interrupted within a picture. When the context ends, its input
// is overwritten with zeros, and it comes to the picture's end with these (docs/adr/0022-cancellation.md). A Decoder
// is one goroutine's at a time.
// Packages of this module only: no compatibility promise.
package avif
