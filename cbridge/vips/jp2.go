package vips

import "encoding/binary"

// maxSide is the most that libvips takes for a width or height (VIPS_MAX_COORD).
const maxSide = 10_000_000

// limitJP2 refuses a picture of JPEG 2000 that is too wide or high for libvips. libvips 8.14 does not look: it keeps
// 1 for such a width, and then OpenJPEG takes memory for all of the picture.
func limitJP2(data []byte) error {
	const sizes = 24 // bytes up to the picture's origin: ISO/IEC 15444-1, A.5.1
	head := codestream(data, sizes, "jP  ", "jp2c", "")
	if len(head) < sizes || binary.BigEndian.Uint32(head) != 0xff4fff51 { // SOC, SIZ
		return nil // which OpenJPEG refuses
	}
	field := func(at int) int64 { return int64(binary.BigEndian.Uint32(head[at:])) }
	width, height := field(8)-field(16), field(12)-field(20)
	if width > maxSide || height > maxSide {
		return tooLarge("%d x %d pixels, libvips takes %d a side", width, height, maxSide)
	}
	return nil
}
