package vips

// Format is a file format. The caller determines it from the content. libvips' own detection is not used: bytes reach
// only the loader of the given format.
type Format uint8

// The formats that this package reads, in the order of load.h.
const (
	TIFF Format = iota
	HEIF        // the container of HEIC; AVIF has its own lane
	JXL         // JPEG XL

	// The loaders of the following formats are not made for untrusted input: a caller uses them only on explicit request.

	SVG    // by librsvg; references in a file are not loaded
	EXR    // OpenEXR, from a file in memory
	HDR    // Radiance
	PDF    // by poppler
	Magick // any format that ImageMagick recognizes
	formats
)

// String returns the usual name of the format.
func (f Format) String() string {
	return [...]string{"tiff", "heif", "jxl", "svg", "exr", "hdr", "pdf", "magick", "unknown"}[min(f, formats)]
}
