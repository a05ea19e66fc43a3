// Package image decodes images: JPEG, PNG, WebP, GIF, AVIF, HEIC, JPEG 2000, JPEG XL, TIFF, BMP, PNM and TGA.
//
// A [Decoder] is made by [New]. [Decoder.Decode] decodes into a buffer from a pool, [Decoder.DecodeInto] into the
// caller's memory, typically the slot of a batch. A [Spec] requests geometry, color, type and layout. Decoding,
// resizing and conversion are one pass: rows go from the library through the resize into the destination, with the
// orientation applied. No full-size image is stored in between. [Probe] reads a header without decoding.
//
// The format is detected from the content, never from the name: see package format. JPEG is decoded by an engine of
// this module. JPEG files that this engine declines are decoded by libjpeg-turbo, to the same bytes (see [JPEGEngine]).
// PNG is decoded by libdeflate, and unusual PNG files by libpng. WebP is decoded by libwebp, AVIF by libavif, JPEG 2000
// by libopenjp2, and GIF, BMP, PNM and TGA by code of this module. libvips decodes everything else. Some loaders are
// disabled by default: see [Loaders].
//
// # Frames
//
// Spec.Frame selects one frame of an animation, or one page. [Decoder.DecodeFrames] decodes several into one buffer. A
// frame of an animation is what a viewer shows: it is composed from the frames before it.
//
// # Pixels
//
// The result is the same, byte for byte, as torchvision's decode_image(mode=RGB, apply_exif_orientation=True) followed
// by v2.Resize(antialias=True) on uint8. For formats that torchvision does not read, it is the same as Pillow's
// convert("RGB"). See docs/adr/ for how and why. For GIF, the first frame matches torchvision, and later frames match
// Pillow. docs/parity.md lists the differences from both, each with its reason.
//
// If resize.Spec.Profile is Pillow, decoding and resizing give the bytes of Pillow, even if torchvision decodes
// differently. For example, the orientation of WebP is applied, and transparent pixels of a GIF's first frame have
// Pillow's colors. If it is Fast, a lane may decode at a lower resolution, and the planes of a JPEG are resized before
// color conversion (docs/jpeg.md).
//
// # Damage
//
// A file that is truncated or contradicts itself is an error, unless Spec.Accept allows a partial image. Then the rest
// has the color Spec.Fill, and the report gives the fraction that was read. Content that a library only warns about is
// decoded, counted and reported.
//
// # Cancellation
//
// At most a fifth of the work continues after the context ended, except for HEIC, for JPEG 2000 of two or three tiles
// or of less than 384x384 pixels, and for images that take less than some ten milliseconds. For most formats it is a
// few rows:
//
//   - JPEG, BMP, PNM, TGA, TIFF in strips or tiles, and processing of rows: 16 rows, or a row of MCUs or tiles.
//   - PNG: 64 KiB of inflated data, or 16 rows.
//   - GIF: 8192 pixels.
//   - WebP, animations included: a sixteenth of a lossy image's data or 2 KiB, an eighth of a lossless image's data or
//     24 KiB, whichever is more.
//   - JPEG XL: the groups in 4 KiB of the file.
//   - AVIF: dav1d decodes the rest of the image from zeros, which takes 3 to 20 % of its time.
//   - JPEG 2000: 6 to 21 % of an image of one tile, below 384x384 pixels up to 34 %, and all of up to 2^16 pixels; one
//     of several tiles, or a part of a tile above 2^20 pixels.
//   - HEIC: a tile. A file of one tile is decoded to its end: 84 % of the work after a cancel at a tenth.
package image
