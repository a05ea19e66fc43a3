// Package vips decodes PNG, WebP, GIF, TIFF, HEIF (AVIF, HEIC), JPEG 2000 and JPEG XL through libvips,
// one C call a picture, into a row sink or plain memory. It serves the formats that have no lane of
// their own.
//
//	c, err := call.Enter(ctx, 1)
//	...
//	defer c.Leave()
//	h, err := vips.ReadHeader(c, vips.PNG, data, 0)
//	...
//	report, err := vips.Decode(c, data, h, vips.Options{Sink: sink.Pointer()})
//
// libvips is used for its loaders only. It runs on the calling thread (concurrency 1), remembers nothing
// between calls (no cache of operations), prints nothing, and its operations for untrusted input are
// blocked for the process but for JPEG 2000 and JPEG XL. Samples are delivered as stored: colour
// profiles and orientation are the caller's to apply.
//
// Damage is refused where the format or its codec shows it: libvips is told to fail on errors, so that
// nothing is filled in. What carries no checksum (WebP, GIF, most TIFF, HEIF, JPEG 2000) can be wrong
// without anybody knowing.
//
// All functions are safe for concurrent use. Packages of this module only: no compatibility promise.
package vips
