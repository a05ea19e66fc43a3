// Package webp decodes WebP pictures with libwebp: one C call for a header, one for a picture, whose rows
// go to a row sink of cbridge/kernel as they are made.
//
// # Pixels
//
// Pixels are uint8, interleaved, RGB or RGBA with alpha not multiplied in, rows from the top as they are
// stored: EXIF orientation and colour profile are the caller's, where the header says they lie. They
// are the bytes of WebPDecodeRGB and WebPDecodeRGBA, which torchvision calls and whose pixels are
// Pillow's. A lossy picture can go to a planes sink (cbridge/kernel) instead of a row sink: the library then
// leaves out its own upsampling and colour conversion. What a picture without alpha has of it is opaque.
//
// The frames of an animation are whole canvases, composed as WebPAnimDecoder composes them for Pillow:
// RGBA, on a transparent background whatever the file says of one.
//
// # Damage
//
// Truncated is a picture that goes on beyond the data: a file that is shorter than it says, even where all
// rows came. Corrupt is one that contradicts itself, or ends before its own size. Options.Accept takes
// what there is instead, which for an animation is nothing. A picture is judged by what was read of it: where only
// rows above some line are wanted, data below are not looked at.
//
// # Memory
//
// Nothing is kept between calls, but by an Animation until Close. libwebp decodes into memory of the rows
// wanted (its interface has no way to take them one by one), beside its own: Header.Memory counts both,
// and Options.MaxMemory refuses what would be more before anything is allocated.
//
// All functions are safe for concurrent use; each holds a thread while it runs. An Animation belongs to
// one goroutine at a time. Packages of this module only: no compatibility promise.
package webp
