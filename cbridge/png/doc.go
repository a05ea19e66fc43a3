// Package png decodes PNG images. It makes one C call for a header, and one for an image. It pushes decoded rows to a
// row sink of cbridge/kernel, or writes them to the caller's memory.
//
// # How
//
// Code of this package reads nearly all files. It reads the chunks and checks their CRCs. It inflates the pixels in
// steps, and reverts the filters of several rows at a time with SIMD instructions. It pushes rows while they are in the
// cache. libpng decodes interlaced images, images larger than 256 MB, and irregular files (a wrong CRC, or data that do
// not inflate to exactly the image). libpng decides which irregularities are errors.
//
// # Pixels
//
// Pixels equal those of Pillow and torchvision: gamma and chromaticities are not applied. Palettes are resolved; gray
// of 1, 2 and 4 bits is scaled to 0..255. A 16-bit sample is reduced to its high byte, or kept. The caller applies EXIF
// orientation, ICC profile and alpha blending.
//
// Frames of an animation are composed as in Pillow. Its blending is used. If the default image is not part of the
// animation, it is the first frame, and later frames are drawn onto it.
//
// # Damage
//
// Files that libpng refuses are refused: a wrong CRC of header, palette or pixels, compressed data that are damaged or
// incomplete, and data that end within the pixels. Options.Accept accepts the pixels before the damage. Everything else
// is counted as a warning: damaged text, a missing end, surplus bytes. Only the decoded part of an image is checked: if
// only rows above some line are wanted, damage below it is not detected.
//
// # Memory
//
// Nothing is kept between calls, except in an open Animation. An image that is inflated in one piece takes its
// uncompressed size, and the size of its compressed data if they are in several chunks, as is usual. libpng takes a few
// rows, or all of an interlaced image. Both are compared with Options.MaxMemory before they are allocated.
//
// All functions are safe for concurrent use; each occupies a thread while it runs. The package is for this module only
// and makes no compatibility promise.
package png
