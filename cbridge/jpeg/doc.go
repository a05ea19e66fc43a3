// Package jpeg decodes JPEG pictures with libjpeg-turbo: one C call for a header, one for a picture,
// whose rows go to a row sink of cbridge/kernel as they are made, or into the caller's memory.
//
// # Pixels
//
// Pixels are uint8, interleaved, rows from the top as they are stored: EXIF orientation is the
// caller's. They are the same bytes as Pillow's and torchvision's: the library's defaults (islow DCT,
// fancy upsampling), and CMYK and YCCK converted as these two do. Gray of a YCbCr picture is its luma
// plane.
//
// Baseline, extended, progressive and arithmetic-coded pictures of 8 bits are decoded, with restart
// markers, any subsampling, and gray, YCbCr, RGB, CMYK or YCCK colour. 12-bit, lossless and hierarchical
// ones are spool.ErrUnsupported.
//
// # Crops
//
// A sink names the rows and columns that it looks at. Rows above are decoded as far as coding needs it,
// rows below not at all; columns beside are not transformed or converted. What comes is the same as of
// the whole picture, to the byte.
//
// # Damage
//
// An error of the library is refused, and so is a premature end: data that end before their
// end-of-image marker, or have that marker while rows are missing. Options.Accept takes what there is
// instead. Everything else libjpeg warns of is decoded and counted. A picture is judged by what was
// read of it: where only rows above some line are wanted, nothing below is looked at.
//
// # Memory
//
// Nothing is kept between calls. A picture of one scan costs a few rows beside the caller's memory; a
// progressive one its coefficients, about 6 bytes a pixel at 4:4:4, which Options.MaxMemory bounds.
//
// All functions are safe for concurrent use; each holds a thread while it runs.
// Packages of this module only: no compatibility promise.
package jpeg
