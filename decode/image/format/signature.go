package format

import (
	"bytes"
	"encoding/binary"

	"github.com/spoolmedia/spool/decode/internal/raster"
)

// signature is a byte string at a fixed offset that identifies one format.
type signature struct {
	format Format
	magic  string
	// A head that ends within the signature counts as this format from enough bytes on. A file that was cut there is then
	// reported as truncated, not as unknown.
	enough int
	at     int
}

func (s *signature) matches(head []byte) bool {
	if len(head) < s.at {
		return false
	}
	head = head[s.at:]
	n := min(len(head), len(s.magic))
	return n >= s.enough && string(head[:n]) == s.magic[:n]
}

var signatures = []signature{
	{JPEG, "\xff\xd8\xff", 2, 0},
	{PNG, "\x89PNG\r\n\x1a\n", 2, 0},
	{GIF, "GIF87a", 4, 0},
	{GIF, "GIF89a", 4, 0},
	{TIFF, "II*\x00", 4, 0},
	{TIFF, "MM\x00*", 4, 0},
	{TIFF, "II+\x00", 4, 0}, // BigTIFF
	{TIFF, "MM\x00+", 4, 0},
	{JP2, "\x00\x00\x00\x0cjP  \r\n\x87\n", 6, 0},
	{JP2, "\xff\x4f\xff\x51", 3, 0},
	{JXL, "\x00\x00\x00\x0cJXL \r\n\x87\n", 6, 0},
	{JXL, "\xff\x0a", 2, 0},
	{EXR, "\x76\x2f\x31\x01", 4, 0},
	{HDR, "#?RADIANCE", 4, 0},
	{HDR, "#?RGBE", 4, 0},
	{PDF, "%PDF-", 4, 0},
	{PSD, "8BPS", 4, 0},

	{DDS, "DDS \x7c\x00\x00\x00", 5, 0},
	{DCX, "\xb1\x68\xde\x3a", 4, 0},
	{XPM, "/* XPM */", 9, 0},
	{XPM, "! XPM2", 6, 0},
	{FITS, "SIMPLE  =                    T", 9, 0},
	{SunRaster, "\x59\xa6\x6a\x95", 4, 0},
	{PhotoCD, "PCD_IPI", 7, 2048},
	{WMF, "\xd7\xcd\xc6\x9a\x00\x00", 4, 0},
	{DPX, "SDPX", 4, 0},
	{DPX, "XPDS", 4, 0},
	{Cineon, "\x80\x2a\x5f\xd7", 4, 0},
	{XCF, "gimp xcf ", 9, 0},
	{MNG, "\x8aMNG\r\n\x1a\n", 4, 0},
	{JNG, "\x8bJNG\r\n\x1a\n", 4, 0},
	{DICOM, "DICM", 4, 128},
	{DjVu, "AT&TFORM", 8, 0},

	{QOI, "qoif", 4, 0},
	{ICNS, "icns", 4, 0},
	{EMF, " EMF", 4, 40},
	{EPS, "%!PS", 4, 0},
	{EPS, "\xc5\xd0\xd3\xc6", 4, 0},
	{MSP, "DanM", 4, 0},
	{MSP, "LinS", 4, 0},
	{IM, "Image type: ", 12, 0},
	{BLP, "BLP1", 4, 0},
	{BLP, "BLP2", 4, 0},
	{XV, "P7 332", 6, 0},
	{PIXAR, "\x80\xe8\x00\x00", 4, 0},
	{FTEX, "FTEX", 4, 0},
	{GBR, "GIMP", 4, 20},
	{KTX, "\xabKTX ", 5, 0},
	{PVR, "PVR\x03", 4, 0},
	{ASTC, "\x13\xab\xa1\x5c", 4, 0},
	{JPEGXR, "II\xbc\x01", 4, 0},
	{FLIF, "FLIF", 4, 0},
	{BPG, "BPG\xfb", 4, 0},
	{Farbfeld, "farbfeld", 8, 0},
	{RAF, "FUJIFILMCCD-RAW ", 8, 0},
}

// headers are the formats that need more checks than a signature, or have none.
var headers = []struct {
	format  Format
	matches func(head []byte) bool
}{
	{WebP, isWebP},
	{BMP, isBMP},
	{PNM, isPNM},
	{SVG, isSVG},
	{ICO, func(head []byte) bool {
		return isIcons(head, 1) && head[10] <= 1 && head[11] == 0 && head[12] <= 32 && head[13] == 0
	}},
	{CUR, isCursors},
	{TGA, isTGA},
	{SGI, isSGI},
	{PCX, isPCX},
	{DIB, isDIB},
	{XBM, isXBM},
}

// isWebP needs two letters of the form type: WAVE begins with the same letter.
func isWebP(head []byte) bool {
	if len(head) < 10 || string(head[:4]) != "RIFF" {
		return false
	}
	kind := head[8:min(12, len(head))]
	return string(kind) == "WEBP"[:len(kind)]
}

// isBMP needs more than the two letters, which text may begin with.
func isBMP(head []byte) bool {
	switch {
	case len(head) < 2 || string(head[:2]) != "BM":
		return false
	case len(head) == 2:
		return true
	case len(head) < 18:
		return bytes.IndexByte(head, 0) > 0
	}
	size := binary.LittleEndian.Uint32(head[14:])
	return size >= 12 && size <= 124 && size%4 == 0
}

// isPNM needs the image's width and height after the two letters.
func isPNM(head []byte) bool {
	if len(head) < 2 || head[0] != 'P' {
		return false
	}
	switch head[1] {
	case '7', 'f', 'F': // PAM and PFM
		return len(head) > 2 && head[2] == '\n'
	case '1', '2', '3', '4', '5', '6':
		if len(head) > 2 && !raster.IsSpace(head[2]) && head[2] != '#' {
			return false
		}
		s := raster.PNMScanner{Data: head, Pos: 2}
		_, err := s.Number()
		if err == nil {
			_, err = s.Number()
		}
		return err == nil || s.Ended()
	}
	return false
}

// isSVG looks for the root element, at the start or after a prologue.
func isSVG(head []byte) bool {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	for _, prologue := range []string{"<?xml", "<!--", "<!DOCTYPE svg"} {
		if bytes.HasPrefix(head, []byte(prologue)) {
			return bytes.Contains(head, []byte("<svg"))
		}
	}
	return bytes.HasPrefix(head, []byte("<svg"))
}

// isIcons needs a directory of 1 to 255 images of a type.
func isIcons(head []byte, kind byte) bool {
	return len(head) >= 14 && string(head[:2]) == "\x00\x00" && head[2] == kind && head[3] == 0 && head[4] != 0 &&
		head[5] == 0 && head[9] == 0
}

// isCursors needs the first image to follow the directory: fields that are checked for icons have another meaning here.
func isCursors(head []byte) bool {
	return len(head) >= 22 && isIcons(head, 2) && binary.LittleEndian.Uint32(head[18:]) == 6+16*uint32(head[4])
}

// isTGA checks the fields of a header without a signature, more strictly than the decoder. It accepts consistent types,
// depths and color maps with no bit set where zeros belong.
func isTGA(head []byte) bool {
	h, err := raster.ParseTGA(head)
	if err != nil || head[17]&0xc0 != 0 {
		return false
	}
	switch head[17] & 0x0f { // bits of alpha
	case 0, 1, 8:
	default:
		return false
	}
	if !h.Mapped {
		return binary.LittleEndian.Uint32(head[3:]) == 0 && head[7] <= 32
	}
	return h.Colors > 0
}

// isSGI needs a known coding, 1 or 2 bytes a sample, and sizes that fit the number of dimensions.
func isSGI(head []byte) bool {
	if len(head) < 12 || string(head[:2]) != "\x01\xda" || head[2] > 1 || head[3] != 1 && head[3] != 2 {
		return false
	}
	dimensions, channels := binary.BigEndian.Uint16(head[4:]), binary.BigEndian.Uint16(head[10:])
	return 1 <= dimensions && dimensions <= 3 && binary.BigEndian.Uint16(head[6:]) > 0 && channels <= 5
}

// isPCX needs a whole header with consistent fields.
func isPCX(head []byte) bool {
	if len(head) < 70 || head[0] != 10 || head[1] > 5 || head[1] == 1 || head[2] > 1 || head[64] != 0 {
		return false
	}
	planes, row := head[65], int(binary.LittleEndian.Uint16(head[66:]))
	left, top := binary.LittleEndian.Uint16(head[4:]), binary.LittleEndian.Uint16(head[6:])
	right, bottom := binary.LittleEndian.Uint16(head[8:]), binary.LittleEndian.Uint16(head[10:])
	if left > right || top > bottom || planes == 0 || planes > 4 {
		return false
	}
	switch bits := int(head[3]); bits {
	case 1, 2, 4, 8:
		return row >= ((int(right)-int(left)+1)*bits+7)/8
	}
	return false
}

// isDIB needs the bitmap header of a BMP file, which begins with its size.
func isDIB(head []byte) bool {
	if len(head) < 20 || string(head[:4]) != "\x28\x00\x00\x00" || string(head[12:14]) != "\x01\x00" || head[15] != 0 {
		return false
	}
	width, height := int32(binary.LittleEndian.Uint32(head[4:])), int32(binary.LittleEndian.Uint32(head[8:]))
	switch head[14] {
	case 1, 4, 8, 16, 24, 32:
		return width > 0 && height != 0 && binary.LittleEndian.Uint32(head[16:]) <= 6
	}
	return false
}

// isXBM needs the two definitions at the start of such a file, which is C source.
func isXBM(head []byte) bool {
	first, rest, _ := bytes.Cut(head, []byte("\n"))
	second, _, _ := bytes.Cut(rest, []byte("\n"))
	for _, line := range []struct {
		text []byte
		name string
	}{{first, "_width"}, {second, "_height"}} {
		fields := bytes.Fields(line.text)
		if len(fields) != 3 || string(fields[0]) != "#define" || !bytes.HasSuffix(fields[1], []byte(line.name)) ||
			!isNumber(fields[2]) {
			return false
		}
	}
	return true
}

func isNumber(text []byte) bool {
	for _, c := range text {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(text) > 0
}
