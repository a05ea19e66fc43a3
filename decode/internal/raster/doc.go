// Package raster decodes formats that need only a few lines of Go: BMP, PNM and TGA. An Image is the result of reading
// a header; its rows are decoded in strips. The package is for one caller, the Go lane of package image, and for the
// detection of formats.
//
// Arguments are lent for the duration of a call. Functions are safe for concurrent use. Errors are *spool.Error with
// ErrTruncated, ErrCorrupt, ErrUnsupported or ErrTooLarge. Memory is in proportion to the data, never to a header.
package raster
