// Package vips decodes TIFF, HEIC and JPEG XL with libvips, and on request SVG, OpenEXR, Radiance, PDF and all that
// ImageMagick reads. It makes one C call for each image, and delivers rows to a row sink or to plain memory. It serves
// the formats without a lane of their own.
//
//	c, err := call.Enter(ctx, 1)
//	...
//	defer c.Leave()
//	h, err := vips.ReadHeader(c, vips.TIFF, data, 0)
//	...
//	report, err := vips.Decode(c, data, h, vips.Options{Sink: sink.Pointer()})
//
// Only the loaders of libvips are used. It runs on the calling thread (concurrency 1), keeps nothing between calls (no
// operation cache) and prints nothing. The loader of a format is called by name: bytes never reach another loader.
// libvips' list of blocked operations, which is global to the process, is not changed. Samples are delivered as stored,
// with 8 or 16 bits: the caller applies color profiles and orientation. Samples of HEIC with 10 or 12 bits are scaled
// to 16 by a shift.
//
// # Damage
//
// Damage is refused if the format or its codec detects it: libvips is configured to fail on errors, so that nothing is
// filled in. In data without checksums (most TIFF, HEIC), errors can go undetected. Earlier rows have been pushed to
// the sink: for TIFF, the rows up to the damaged strip or row of tiles; for HEIC and JPEG XL, all or none.
//
// Debian 12's libjxl 0.7 and libheif's codecs print what they refuse to stderr, and cannot be silenced.
//
// All functions are safe for concurrent use. The package is for this module only and makes no compatibility promise.
package vips
