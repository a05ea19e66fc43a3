package pack

import (
	"archive/tar"
	"bytes"
	"strings"
)

// tarHeader makes the headers of members that need one block, with the bytes of archive/tar. That package takes 3 us
// for one, a sixteenth of the time to pack a photo of 67 KB.
type tarHeader struct {
	block [tarBlock]byte
	sum   int64 // of the bytes that all headers have
}

// Fields of a header, as offsets and lengths.
const (
	tarName, tarNameBytes = 0, 100
	tarSize, tarSizeBytes = 124, 12
	tarSum, tarSumBytes   = 148, 8
)

// mostOctal is the first size that the field cannot hold: it ends with a zero.
const mostOctal = 1 << (3 * (tarSizeBytes - 1))

func newTarHeader() *tarHeader {
	var text bytes.Buffer
	_ = tar.NewWriter(&text).WriteHeader(&tar.Header{Mode: 0o644, Typeflag: tar.TypeReg}) // to memory
	h := &tarHeader{}
	copy(h.block[:], text.Bytes())
	clear(h.block[tarSize : tarSize+tarSizeBytes-1])
	copy(h.block[tarSum:], "        ") // its own place counts as blanks
	h.sum = sumOf(h.block[:])
	return h
}

// of returns the header of a member, which is valid until the next call; nil if it needs more than a block.
func (h *tarHeader) of(name string, size int64) []byte {
	if len(name) > tarNameBytes || size >= mostOctal || strings.IndexFunc(name, unusual) >= 0 {
		return nil
	}
	clear(h.block[copy(h.block[tarName:tarName+tarNameBytes], name):tarNameBytes])
	octal(h.block[tarSize:tarSize+tarSizeBytes-1], size)
	sum := h.sum + sumOf(h.block[tarName:tarName+len(name)]) + sumOf(h.block[tarSize:tarSize+tarSizeBytes-1])
	octal(h.block[tarSum:tarSum+tarSumBytes-2], sum)
	h.block[tarSum+tarSumBytes-2] = 0
	return h.block[:]
}

func sumOf(p []byte) (sum int64) {
	for _, b := range p {
		sum += int64(b)
	}
	return sum
}

// octal writes a number with leading zeros.
func octal(field []byte, n int64) {
	for i := len(field) - 1; i >= 0; i-- {
		field[i] = byte('0' + n&7)
		n >>= 3
	}
}

// unusual reports whether a name with a character needs more than a block, or is refused.
func unusual(r rune) bool { return r >= 0x80 || r == 0 }
