package vips

// Format is a file format, as the caller found it by looking at the content. libvips' own sniffing is
// not used: bytes go to the loader of the named format or nowhere.
type Format uint8

// The formats that this package reads. The order is load.h's.
const (
	TIFF Format = iota
	HEIF        // the container of HEIC; AVIF has a lane of its own
	JXL         // JPEG XL

	// The loaders of these are not made for input that nobody vouches for: a caller who gives bytes as
	// one of them has been asked to.

	SVG    // by librsvg; what a file refers to is not loaded
	EXR    // OpenEXR, by way of a file in memory
	HDR    // Radiance
	PDF    // by poppler
	Magick // whatever ImageMagick recognises
	formats
)

// String is the format's usual name.
func (f Format) String() string {
	return [...]string{"tiff", "heif", "jxl", "svg", "exr", "hdr", "pdf", "magick", "unknown"}[min(f, formats)]
}
