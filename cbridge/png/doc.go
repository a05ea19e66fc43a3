// Package png decodes PNG pictures: one C call for a header, one for a picture, whose rows go to a row sink
// of cbridge/kernel as they are made, or into the caller's memory.
//
// # How
//
// Nearly all files are read by code of this package: it walks over the chunks and checks their CRCs, inflates
// the pixels in steps, undoes the filters with SIMD instructions, several rows at a time, and pushes rows while
// they are in the cache. Pictures that are interlaced, larger than 256 MB or
// odd in any way (a wrong CRC, data that do not inflate to exactly the picture) go to libpng, which
// decides what is an error.
//
// # Pixels
//
// Pixels are the same as Pillow's and torchvision's: gamma and chromaticities are not applied. Palettes are
// resolved; gray of 1, 2 and 4 bits is scaled to 0..255. A sample of 16 bits gives its high byte, or is kept.
// EXIF orientation, ICC profile and the blending of opacity are the caller's.
//
// Frames of an animation are composed as Pillow does: with its blending, and with a picture that is not part
// of the animation as the first frame, on which the others are built.
//
// # Damage
//
// Refused is what libpng refuses: a wrong CRC of header, palette or pixels, compressed data that are damaged
// or not enough, data that end within the pixels. Options.Accept takes what came before. Everything else is
// counted as a warning: damaged text, a missing end, bytes too many. A picture is judged by what was read of
// it: where only rows above some line are wanted, rows below are not looked at.
//
// # Memory
//
// Nothing is kept between calls, but by an open Animation. A picture that is inflated as a whole takes its
// stored size, and that of its compressed data once more where they are in several chunks, as is usual.
// libpng takes a few rows, or an interlaced picture as a whole. Both are compared with Options.MaxMemory
// before they are allocated.
//
// All functions are safe for concurrent use; each holds a thread while it runs.
// Packages of this module only: no compatibility promise.
package png
