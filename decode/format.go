package decode

import (
	"bytes"
	"encoding/binary"
	"math"
)

// Format is the file format of a picture. The zero value means none that we know of.
type Format uint8

const (
	_ Format = iota
	JPEG
	PNG
	WebP
	GIF
	TIFF
	AVIF
	HEIC // any picture in a HEIF container but AVIF
	JP2  // JPEG 2000, boxed or bare
	JXL  // boxed or bare
	BMP
	PNM // PBM, PGM and PPM, plain and raw; PAM and PFM are recognised
	TGA
	SVG // from here on: recognised, so that an error can name them
	EXR
	HDR
	PDF
	PSD
	ICO
)

var formatNames = [...]string{
	"unknown", "jpeg", "png", "webp", "gif", "tiff", "avif", "heic", "jp2", "jxl", "bmp", "pnm", "tga",
	"svg", "exr", "hdr", "pdf", "psd", "ico",
}

// String is the format's name as probe prints it, in lower case.
func (f Format) String() string {
	if int(f) < len(formatNames) {
		return formatNames[f]
	}
	return formatNames[0]
}

// signatures are the first bytes of formats that have such. A head shorter than its signature is
// taken for that format from the given number of bytes on, so that a file cut right there is called
// truncated and not unknown.
var signatures = []struct {
	format Format
	magic  string
	enough int
}{
	{JPEG, "\xff\xd8\xff", 2},
	{PNG, "\x89PNG\r\n\x1a\n", 2},
	{GIF, "GIF87a", 4},
	{GIF, "GIF89a", 4},
	{TIFF, "II*\x00", 4},
	{TIFF, "MM\x00*", 4},
	{TIFF, "II+\x00", 4}, // BigTIFF
	{TIFF, "MM\x00+", 4},
	{JP2, "\x00\x00\x00\x0cjP  \r\n\x87\n", 6},
	{JP2, "\xff\x4f\xff\x51", 3},
	{JXL, "\x00\x00\x00\x0cJXL \r\n\x87\n", 6},
	{JXL, "\xff\x0a", 2},
	{EXR, "\x76\x2f\x31\x01", 4},
	{HDR, "#?RADIANCE", 4},
	{HDR, "#?RGBE", 4},
	{PDF, "%PDF-", 4},
	{PSD, "8BPS", 4},
}

// sniff tells a picture's format from the head of its file; 4096 bytes are plenty. What is no picture
// gives 0, video and audio in the containers that pictures use included.
func sniff(head []byte) Format {
	for _, s := range signatures {
		n := min(len(head), len(s.magic))
		if n >= s.enough && string(head[:n]) == s.magic[:n] {
			return s.format
		}
	}
	switch {
	case isWebP(head):
		return WebP
	case isBMP(head):
		return BMP
	case isPNM(head):
		return PNM
	case isSVG(head):
		return SVG
	case isICO(head):
		return ICO
	case isTGA(head):
		return TGA
	}
	return brand(head)
}

// isWebP asks for two letters of the kind at least: WAVE begins with the same one.
func isWebP(head []byte) bool {
	if len(head) < 10 || string(head[:4]) != "RIFF" {
		return false
	}
	kind := head[8:min(12, len(head))]
	return string(kind) == "WEBP"[:len(kind)]
}

// isBMP asks for more than the two letters, which text may begin with.
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

// isPNM asks for the picture's width and height after the two letters.
func isPNM(head []byte) bool {
	if len(head) < 2 || head[0] != 'P' {
		return false
	}
	switch head[1] {
	case '7', 'f', 'F': // PAM and PFM
		return len(head) > 2 && head[2] == '\n'
	case '1', '2', '3', '4', '5', '6':
		if len(head) > 2 && !isSpace(head[2]) && head[2] != '#' {
			return false
		}
		s := pnmScanner{data: head, pos: 2}
		_, err := s.number()
		if err == nil {
			_, err = s.number()
		}
		return err == nil || s.ended()
	}
	return false
}

// isSVG looks for the root element, at once or after a prologue.
func isSVG(head []byte) bool {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	for _, prologue := range []string{"<?xml", "<!--", "<!DOCTYPE svg"} {
		if bytes.HasPrefix(head, []byte(prologue)) {
			return bytes.Contains(head, []byte("<svg"))
		}
	}
	return bytes.HasPrefix(head, []byte("<svg"))
}

// isICO wants a directory of 1 to 255 icons, and plausible planes and bits a pixel of the first.
func isICO(head []byte) bool {
	return len(head) >= 14 && string(head[:4]) == "\x00\x00\x01\x00" && head[4] != 0 && head[5] == 0 && head[9] == 0 &&
		head[10] <= 1 && head[11] == 0 && head[12] <= 32 && head[13] == 0
}

// isTGA judges a header without magic by its fields, more strictly than the decoder does: what it
// takes has consistent types, depths and colour map, and no bit where zeros belong.
func isTGA(head []byte) bool {
	h, err := parseTGA(head)
	if err != nil || head[17]&0xc0 != 0 {
		return false
	}
	switch head[17] & 0x0f { // bits of alpha
	case 0, 1, 8:
	default:
		return false
	}
	if !h.mapped {
		return binary.LittleEndian.Uint32(head[3:]) == 0 && head[7] <= 32
	}
	return h.colors > 0
}

// brand tells pictures in an ISO base media file (ISO/IEC 14496-12, 23008-12) by the brands of its
// first box. A generic major brand leaves the decision to the compatible ones.
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

// heif stands for a picture of whatever codec.
const heif Format = math.MaxUint8

var brands = map[string]Format{
	"avif": AVIF, "avis": AVIF,
	"heic": HEIC, "heix": HEIC, "heim": HEIC, "heis": HEIC, "hevc": HEIC, "hevx": HEIC, "hevm": HEIC, "hevs": HEIC,
	"mif1": heif, "mif2": heif, "msf1": heif, "miaf": heif,
}
