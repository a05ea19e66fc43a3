// Package vips decodes TIFF, HEIC and JPEG XL through libvips, and where it is asked to SVG, OpenEXR, Radiance, PDF and what ImageMagick reads: one C call a picture, into a
// row sink or plain memory. It serves the formats that have no lane of their own.
//
//	c, err := call.Enter(ctx, 1)
//	...
//	defer c.Leave()
//	h, err := vips.ReadHeader(c, vips.TIFF, data, 0)
//	...
//	report, err := vips.Decode(c, data, h, vips.Options{Sink: sink.Pointer()})
//
// libvips is used for its loaders only. It runs on the calling thread (concurrency 1), remembers nothing
// between calls (no cache of operations) and prints nothing. Each format has its loader, which is called by
// name: bytes never reach another one, and libvips' list of blocked operations, which is the process', is
// left alone. Samples are delivered as stored, 8 or 16 bits: colour profiles and orientation are the
// caller's to apply. 10 or 12 bits of HEIC are the upper ones of 16.
//
// # Damage
//
// Damage is refused where the format or its codec shows it: libvips is told to fail on errors, so that
// nothing is filled in. What carries no checksum (most TIFF, HEIC) can be wrong
// without anybody knowing. Rows that came before are in the sink: of TIFF up to the damaged strip or row
// of tiles; HEIC and JPEG XL give all or nothing.
//
// Debian 12's libjxl 0.7 and libheif's codecs print what they refuse to the process' stderr, and have no
// switch for it.
//
// All functions are safe for concurrent use. Packages of this module only: no compatibility promise.
package vips
