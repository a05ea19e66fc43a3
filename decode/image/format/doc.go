// Package format detects the file format of an image from its first bytes.
//
// Detection never uses a file's name. A signature identifies most formats; formats without one, such as TGA, are
// detected by the fields of their headers. A format that is detected need not be decoded: see package image.
package format
