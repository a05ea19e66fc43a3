package flac

import (
	"bytes"
	"encoding/binary"
	"strconv"
	"strings"
)

// Header is what a file says before its first frame.
type Header struct {
	Rate     int // samples a second
	Channels int
	Bits     int    // of a sample
	Samples  int64  // of each channel; 0: the file does not say
	Largest  int    // samples of the largest block
	Frame    int    // bytes of the largest frame; 0: the file does not say
	Speakers uint32 // the channels' places, as dwChannelMask of WAV; 0: those that FLAC gives to so many
	Start    int64  // of the first frame in the file
	Points   []Point
}

// Point is a place to begin at, as the encoder says.
type Point struct {
	Sample int64 // the first one of a frame
	Offset int64 // of the frame in the file
}

// View gives a file's bytes from an offset on, at least n of them unless the file ends before; they are lent until
// the next call.
type View func(offset int64, n int) ([]byte, error)

// Is reports whether a file that begins with head is FLAC. ID3 tags may be before it, if they end within head.
func Is(head []byte) bool {
	at, _ := skipTags(func(offset int64, _ int) ([]byte, error) { return head[min(offset, int64(len(head))):], nil })
	return at < int64(len(head)) && bytes.HasPrefix(head[at:], []byte("fLaC"))
}

// Kinds of metadata: RFC 9639, section 8.
const (
	streamInfo    = 0
	seekTable     = 3
	vorbisComment = 4
	forbidden     = 127
)

const (
	streamInfoBytes = 34
	pointBytes      = 18
	mostComments    = 1 << 20 // bytes that are looked through
)

// ReadHeader reads the metadata of a file. A Reason other than Decoded says why it is not for this package. Errors are the view's.
// It takes memory for the seek points, 16 bytes for each of 18 in the file.
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

// skipTags is where the ID3 tags at a file's beginning end.
func skipTags(view View) (at int64, err error) {
	for {
		b, err := view(at, 10)
		if err != nil || len(b) < 10 || string(b[:3]) != "ID3" || b[3] == 0xFF || b[4] == 0xFF || (b[6]|b[7]|b[8]|b[9])&0x80 != 0 {
			return at, err
		}
		at += 10 + int64(b[6])<<21 + int64(b[7])<<14 + int64(b[8])<<7 + int64(b[9])
		if b[5]&0x10 != 0 {
			at += 10 // a footer
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
		return err // the file ends here, as the next block will tell
	}
	h.Points = nil
	for b = b[:size]; len(b) >= pointBytes; b = b[pointBytes:] {
		p := Point{int64(binary.BigEndian.Uint64(b)), int64(binary.BigEndian.Uint64(b[8:]))}
		if p.Sample < 0 || p.Offset < 0 || p.Offset >= 1<<48 || len(h.Points) > 0 && p.Sample <= h.Points[len(h.Points)-1].Sample {
			continue // a placeholder has all bits set
		}
		h.Points = append(h.Points, p)
	}
	return nil
}

// comments looks for the one that says where the channels' places are. It reports false where it does so in a way that
// is not clear.
func (h *Header) comments(view View, at int64, size int) (bool, error) {
	b, err := view(at, min(size, mostComments))
	if err != nil || len(b) < min(size, mostComments) || size > mostComments {
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
	n := int(binary.LittleEndian.Uint32(b[i-4:])) // of the comment
	if n <= len(key) || n > size-i {
		return false, nil
	}
	mask, err := strconv.ParseUint(strings.ToLower(text[i+len(key):i+n]), 0, 18)
	h.Speakers = uint32(mask)
	return err == nil && mask != 0, nil
}

// upper is a text with letters of ASCII in upper case, and no shorter or longer.
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
