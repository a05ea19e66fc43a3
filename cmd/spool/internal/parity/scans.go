package parity

import "bytes"

// Markers of JPEG.
const (
	jpegSOF2  = 0xc2 // progressive, with Huffman codes
	jpegSOF10 = 0xca // progressive, with arithmetic codes
	jpegSOS   = 0xda
)

// smoothedJPEG reports whether a JPEG file is progressive, and its scans leave out the last bits of some of the first
// AC coefficients. libjpeg-turbo estimates these from the neighboring blocks.
func smoothedJPEG(data []byte) bool {
	const guessed = 10 // coefficients, including DC
	bits := map[byte][]int{}
	progressive := false
	for marker, segment := range jpegSegments(data) {
		switch {
		case (marker == jpegSOF2 || marker == jpegSOF10) && len(segment) >= 6:
			progressive = true
			for c := segment[6:]; len(c) >= 3; c = c[3:] {
				bits[c[0]] = []int{-1, -1, -1, -1, -1, -1, -1, -1, -1, -1}
			}
		case marker == jpegSOS && len(segment) > 0 && len(segment) >= 4+2*int(segment[0]):
			n := int(segment[0])
			first, last, low := int(segment[1+2*n]), int(segment[2+2*n]), int(segment[3+2*n]&0x0f)
			for c := range n {
				known := bits[segment[1+2*c]]
				for k := first; k <= last && k < len(known); k++ {
					known[k] = low
				}
			}
		}
	}
	for _, known := range bits {
		for k := 1; k < guessed; k++ {
			if progressive && known[k] != 0 {
				return true
			}
		}
	}
	return false
}

// jpegSegments yields the markers of a file that have content, and the content.
func jpegSegments(data []byte) func(yield func(marker byte, segment []byte) bool) {
	return func(yield func(byte, []byte) bool) {
		for {
			at := bytes.IndexByte(data, 0xff)
			if at < 0 || at+4 > len(data) {
				return
			}
			marker := data[at+1]
			data = data[at+1:]
			if marker < 0xc0 || 0xd0 <= marker && marker <= 0xd9 || marker == 0xff {
				continue
			}
			size := int(data[1])<<8 | int(data[2])
			if size < 2 || 1+size > len(data) {
				continue
			}
			if !yield(marker, data[3:1+size]) {
				return
			}
			data = data[1+size:]
		}
	}
}
