// Package jpeg decodes JPEG images with libjpeg-turbo. It makes one C call for a header and one for an image. Rows go
// to a row sink of cbridge/kernel as they are decoded, or to the caller's memory.
//
// # Pixels
//
// Pixels are uint8, interleaved, with rows from top to bottom as stored. The caller applies the EXIF orientation. They
// equal those of Pillow and torchvision byte for byte: the library's defaults (islow DCT, fancy upsampling), and CMYK
// and YCCK converted as in these two. Gray of a YCbCr image is its luma plane.
//
// The package decodes baseline, extended, progressive and arithmetic-coded images of 8 bits, with restart markers, any
// chroma subsampling, and gray, YCbCr, RGB, CMYK or YCCK color. 12-bit, lossless and hierarchical images are
// spool.ErrUnsupported.
//
// # Crops
//
// A sink defines the rows and columns that it reads. Rows above are decoded as far as coding requires it, and rows
// below are not decoded. Columns outside are not transformed or converted. The delivered pixels equal those of the
// whole image byte for byte.
//
// # Damage
//
// An error of the library is returned, and so is a premature end: the data end before their end-of-image marker, or
// contain that marker while rows are missing. With Options.Accept, the incomplete image is accepted instead. All other
// conditions of which libjpeg warns are decoded and counted. Only the data that are read are checked: if only rows
// above some line are requested, damage below it is not noticed.
//
// # Memory
//
// Nothing is kept between calls. An image of one scan takes a few rows in addition to the caller's memory. A
// progressive image takes memory for its coefficients, about 6 bytes a pixel at 4:4:4, which Options.MaxMemory limits.
//
// All functions are safe for concurrent use; each occupies a thread while it runs. The package is for this module only:
// it makes no compatibility promise.
package jpeg
