// Package tiff parses the directories of TIFF and BigTIFF files, and of EXIF data, which have the same structure. It
// decodes no pixels. It answers what the lane for TIFF asks: where a file is cut, which pages hold smaller levels of an
// image, and which pages must be refused.
//
// Data are lent; a Directory refers to them. Functions are safe for concurrent use, except Unassociate, which changes
// its data.
package tiff
