package flac

import (
	"bytes"
	"encoding/binary"
	"strconv"
	"strings"
)

// Header is the metadata of a file, before its first frame.
type Header struct {
	Rate     int // sample rate in Hz
	Channels int
	Bits     int    // bits of a sample
	Samples  int64  // per channel; 0 if unknown
	Largest  int    // samples of the largest block
	Frame    int    // bytes of the largest frame; 0 if unknown
	Speakers uint32 // speaker positions, as dwChannelMask of WAV; 0 means FLAC's default for the number of channels
	Start    int64  // offset of the first frame in the file
	Points   []Point
}

// Point is a seek point of the file.
type Point struct {
	Sample int64 // first sample of a frame
	Offset int64 // of the frame in the file
}

// View returns a file's bytes from an offset. It returns at least n bytes unless the file ends before. The bytes are
// valid until the next call.
type View func(offset int64, n int) ([]byte, error)

// Is reports whether a file that starts with head is FLAC. The file may start with ID3 tags, if they end within head.
func Is(head []byte) bool {
	at, _ := skipTags(func(offset int64, _ int) ([]byte, error) { return head[min(offset, int64(len(head))):], nil })
	return at < int64(len(head)) && bytes.HasPrefix(head[at:], []byte("fLaC"))
}

// Types of metadata blocks: RFC 9639, section 8.
const (
	streamInfo    = 0
	seekTable     = 3
	vorbisComment = 4
	forbidden     = 127
)

const (
	streamInfoBytes = 34
	pointBytes      = 18
	maxComments     = 1 << 20 // maximum bytes of comments; larger blocks are rejected
)

// ReadHeader reads the metadata of a file. A Reason other than Decoded means that this package cannot decode the file.
// Errors are those of view. It allocates memory for the seek points, 16 bytes for each 18 bytes in the file.
func ReadHeader(view View) (Header, Reason, error) {
	at, err := skipTags(view)
	if err != nil {
		return Header{}, Metadata, err
	}
	b, err := view(at, 4)
	if err != nil || len(b) < 4 || string(b[:4]) != "fLaC" {
		return Header{}, Metadata, err
	}
	at += 4
	var h Header
	for first, last := true, false; !last; first = false {
		b, err := view(at, 4)
		if err != nil || len(b) < 4 {
			return Header{}, Metadata, err
		}
		kind, size := int(b[0]&0x7F), int(binary.BigEndian.Uint32(b)&0xFFFFFF)
		last = b[0]&0x80 != 0
		at += 4
		if first != (kind == streamInfo) || kind == forbidden {
			return Header{}, Metadata, nil
		}
		good := true
		switch kind {
		case streamInfo:
			good, err = h.streamInfo(view, at, size)
		case seekTable:
			err = h.seekTable(view, at, size)
		case vorbisComment:
			good, err = h.comments(view, at, size)
		}
		if err != nil || !good {
			return Header{}, Metadata, err
		}
		at += int64(size)
	}
	h.Start = at
	for i := range h.Points {
		h.Points[i].Offset += at
	}
	return h, Decoded, nil
}

// skipTags returns the offset after the ID3 tags at the start of a file.
func skipTags(view View) (at int64, err error) {
	for {
		b, err := view(at, 10)
		if err != nil || len(b) < 10 || string(b[:3]) != "ID3" || b[3] == 0xFF || b[4] == 0xFF ||
			(b[6]|b[7]|b[8]|b[9])&0x80 != 0 {
			return at, err
		}
		at += 10 + int64(b[6])<<21 + int64(b[7])<<14 + int64(b[8])<<7 + int64(b[9])
		if b[5]&0x10 != 0 {
			at += 10 // footer
		}
	}
}

func (h *Header) streamInfo(view View, at int64, size int) (bool, error) {
	b, err := view(at, streamInfoBytes)
	if err != nil || size != streamInfoBytes || len(b) < streamInfoBytes {
		return false, err
	}
	h.Largest = int(binary.BigEndian.Uint16(b[2:]))
	h.Frame = int(b[7])<<16 | int(b[8])<<8 | int(b[9])
	packed := binary.BigEndian.Uint64(b[10:])
	h.Rate = int(packed >> 44)
	h.Channels = int(packed>>41&7) + 1
	h.Bits = int(packed>>36&31) + 1
	h.Samples = int64(packed & (1<<36 - 1))
	return h.Rate > 0 && h.Bits >= 4 && h.Largest >= 16, nil
}

func (h *Header) seekTable(view View, at int64, size int) error {
	b, err := view(at, size)
	if err != nil || len(b) < size {
		return err // the file is truncated, and reading the next block fails
	}
	h.Points = nil
	for b = b[:size]; len(b) >= pointBytes; b = b[pointBytes:] {
		p := Point{int64(binary.BigEndian.Uint64(b)), int64(binary.BigEndian.Uint64(b[8:]))}
		if p.Sample < 0 || p.Offset < 0 || p.Offset >= 1<<48 || len(h.Points) > 0 &&
			p.Sample <= h.Points[len(h.Points)-1].Sample {
			continue // a placeholder, with all bits set, or out of order
		}
		h.Points = append(h.Points, p)
	}
	return nil
}

// comments searches for the comment with the speaker positions. It returns false if that comment is ambiguous or
// invalid.
func (h *Header) comments(view View, at int64, size int) (bool, error) {
	b, err := view(at, min(size, maxComments))
	if err != nil || len(b) < min(size, maxComments) || size > maxComments {
		return false, err
	}
	const key = "WAVEFORMATEXTENSIBLE_CHANNEL_MASK="
	text := upper(b[:size])
	i := strings.Index(text, key)
	if i < 0 {
		return true, nil
	}
	if strings.LastIndex(text, key) != i || i < 4 {
		return false, nil
	}
	n := int(binary.LittleEndian.Uint32(b[i-4:])) // length of the comment
	if n <= len(key) || n > size-i {
		return false, nil
	}
	mask, err := strconv.ParseUint(strings.ToLower(text[i+len(key):i+n]), 0, 18)
	h.Speakers = uint32(mask)
	return err == nil && mask != 0, nil
}

// upper converts ASCII letters to upper case, and keeps the length.
func upper(text []byte) string {
	var s strings.Builder
	s.Grow(len(text))
	for _, c := range text {
		if 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
		}
		s.WriteByte(c)
	}
	return s.String()
}
