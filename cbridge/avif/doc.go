// Package avif decodes AVIF images and sequences with libavif (dav1d, libyuv). A [Decoder] decodes one file, with one C
// call per image, and pushes rows to a row sink of cbridge/kernel.
//
// # Pixels
//
// Rows are uint8 RGB or RGBA, or uint16 in the machine's byte order with the full range of 0..65535. An image with
// alpha gives RGBA; without its alpha channel it equals the result of Pillow's convert. Images are not rotated or
// mirrored: Header.Orientation has the orientation. The clean aperture is not applied.
//
// 8-bit rows equal Pillow's bytes, which also decodes with libavif. This holds for 4:2:0, 4:2:2, 4:4:4 and 4:0:0, full
// and limited range, and for BT.601, BT.709, BT.2020 and the other matrices of libavif. It holds with alpha,
// premultiplied or not, and without. It holds for 10 and 12 bits as well, where Pillow drops the low bits before it
// converts. Chroma is interpolated as in Pillow's default.
//
// # Damage
//
// AV1 data have no checksum, so a damaged image can decode without an error. An image that the decoder rejects is
// rejected as a whole. No part of it is delivered. libavif does not always distinguish a truncated file from an
// inconsistent one: both can be reported as corrupt.
//
// # Memory
//
// The decoder holds the image's planes until Close, Header.Memory in all. Conversion to RGB works in bands, with
// scratch memory of a few dozen rows. ReadHeader allocates no memory for images, whatever sizes the file has.
//
// Decoding runs on the calling thread. dav1d cannot be interrupted within an image. When the context ends, dav1d's
// input is overwritten with zeros, which it decodes quickly (docs/adr/0022-cancellation.md). A Decoder may be used by
// one goroutine at a time. This package is internal to the module: no compatibility promise.
package avif
