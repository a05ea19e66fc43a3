package format

import (
	"encoding/binary"
	"math"
)

// Format is the file format of an image. The zero value means that no known format was detected.
type Format uint8

const (
	_ Format = iota
	JPEG
	PNG
	WebP
	GIF
	TIFF
	AVIF
	HEIC // any HEIF image except AVIF
	JP2  // JPEG 2000, boxed or bare
	JXL  // boxed or bare
	BMP
	PNM // PBM, PGM and PPM, plain and raw; PAM and PFM are only detected
	TGA
	SVG // detected from here on, so that errors can name them
	EXR
	HDR
	PDF
	PSD
	ICO

	DDS // from here on detected only; ImageMagick decodes these
	SGI
	PCX
	DCX
	XBM
	XPM
	FITS
	SunRaster
	PhotoCD
	WMF
	DPX
	Cineon
	XCF
	MNG
	JNG
	DICOM
	DjVu

	QOI // from here on: ImageMagick does not decode these, or not by content
	ICNS
	CUR
	DIB // BMP without its file header
	EMF
	EPS
	MSP
	IM
	BLP
	XV
	PIXAR
	FTEX
	GBR
	KTX
	PVR
	ASTC
	JPEGXR
	FLIF
	BPG
	Farbfeld
	RAF

	formats // number of formats
)

var formatNames = [formats]string{
	"unknown", "jpeg", "png", "webp", "gif", "tiff", "avif", "heic", "jp2", "jxl", "bmp", "pnm", "tga",
	"svg", "exr", "hdr", "pdf", "psd", "ico",
	"dds", "sgi", "pcx", "dcx", "xbm", "xpm", "fits", "sun-raster", "photo-cd", "wmf", "dpx", "cineon", "xcf", "mng",
	"jng", "dicom", "djvu",
	"qoi", "icns", "cur", "dib", "emf", "eps", "msp", "im", "blp", "xv-thumbnail", "pixar", "ftex", "gbr", "ktx", "pvr",
	"astc", "jpeg-xr", "flif",
	"bpg", "farbfeld", "raf",
}

// String is the lower-case name of the format, as probe prints it.
func (f Format) String() string {
	if f < formats {
		return formatNames[f]
	}
	return formatNames[0]
}

// Of detects an image's format from the head of its file; 4096 bytes are plenty. It returns 0 for other content,
// including video and audio in containers that images use, and for formats without a signature. Its cost is negligible.
func Of(head []byte) Format {
	for _, s := range signatures {
		if s.matches(head) {
			return s.format
		}
	}
	for _, s := range headers {
		if s.matches(head) {
			return s.format
		}
	}
	return brand(head)
}

// brand detects images in an ISO base media file (ISO/IEC 14496-12, 23008-12) by the brands of its first box. For a
// generic major brand the compatible brands decide.
func brand(head []byte) Format {
	if len(head) < 12 || string(head[4:8]) != "ftyp" {
		return 0
	}
	if f := brands[string(head[8:12])]; f != heif {
		return f
	}
	size := min(uint64(binary.BigEndian.Uint32(head)), uint64(len(head)))
	for at := uint64(16); at+4 <= size; at += 4 {
		if brands[string(head[at:at+4])] == AVIF {
			return AVIF
		}
	}
	return HEIC
}

// heif means an image of any codec.
const heif Format = math.MaxUint8

var brands = map[string]Format{
	"avif": AVIF, "avis": AVIF,
	"heic": HEIC, "heix": HEIC, "heim": HEIC, "heis": HEIC, "hevc": HEIC, "hevx": HEIC, "hevm": HEIC, "hevs": HEIC,
	"mif1": heif, "mif2": heif, "msf1": heif, "miaf": heif,
}
