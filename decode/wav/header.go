package wav

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/spoolmedia/spool"
)

// Header describes the samples of a file. They are interleaved: the first sample of each channel, then the second of
// each.
type Header struct {
	Encoding Encoding
	Channels int
	Rate     int    // samples a second, of each channel
	Bits     int    // significant bits of a sample; in integers the high ones, above zeros
	Speakers uint32 // dwChannelMask of WAVE_FORMAT_EXTENSIBLE; 0 if the file has none
	Offset   int64  // of the first sample in the file
	Bytes    int64  // of all samples, by the header; Unknown if it does not tell
}

// Unknown is a number of bytes that the writer did not fill in.
const Unknown = -1

// Stride is the number of bytes from one sample of a channel to the next.
func (h Header) Stride() int { return h.Channels * h.Encoding.Size() }

// Within is the number of samples of each channel in a file of size bytes. An incomplete last sample does not count.
func (h Header) Within(size int64) int64 {
	n := max(size-h.Offset, 0)
	if h.Bytes != Unknown {
		n = min(n, h.Bytes)
	}
	return n / int64(h.Stride())
}

// Truncated reports whether a file of size bytes lacks samples that its header announces.
func (h Header) Truncated(size int64) bool { return h.Bytes != Unknown && size-h.Offset < h.Bytes }

// Is reports whether a file that begins with head can be passed to ReadHeader. It needs 12 bytes.
func Is(head []byte) bool {
	if len(head) < 12 || string(head[8:12]) != "WAVE" {
		return false
	}
	switch string(head[:4]) {
	case "RIFF", "RF64", "BW64":
		return true
	}
	return false
}

// ReadHeader reads a file up to its first sample, which is then the next byte of r. If r is an io.Seeker, it seeks over
// other chunks instead of reading them.
//
//	Errors:  *spool.Error of the class ErrNotMedia: not a WAV file; ErrUnsupported: another kind of samples, or
//	         a format chunk after the samples; ErrTruncated: the file ends before the first sample; ErrCorrupt.
//	         Errors of r are returned unchanged.
//	Memory:  independent of the sizes in the file.
func ReadHeader(r io.Reader) (Header, error) {
	p := parser{r: r}
	h, err := p.header()
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = fault(spool.ErrTruncated, "a WAV file without samples: it ends after %d bytes", p.at)
	}
	return h, err
}

// parser reads the chunks of a file.
type parser struct {
	r   io.Reader
	at  int64 // bytes read or skipped
	buf [fmtBytes]byte
}

// fmtBytes is the part of the chunk "fmt " that is used: WAVEFORMATEXTENSIBLE.
const fmtBytes = 40

// header reads the chunks up to the samples.
func (p *parser) header() (Header, error) {
	var h Header
	head, err := p.read(12)
	if err != nil {
		return h, err
	}
	if !Is(head) {
		return h, fault(spool.ErrNotMedia, "no WAV file")
	}
	long := string(head[:4]) != "RIFF"
	promised := int64(Unknown) // bytes of samples, from the chunk ds64
	for {
		head, err := p.read(8)
		if err != nil {
			return h, err
		}
		id, size := string(head[:4]), binary.LittleEndian.Uint32(head[4:])
		next := p.at + int64(size) + int64(size&1)
		switch {
		case id == "data" && h.Encoding == 0:
			return h, fault(spool.ErrUnsupported, "WAV samples that come before their description")
		case id == "data":
			h.Offset, h.Bytes = p.at, int64(size)
			if size == 0 || size == math.MaxUint32 {
				h.Bytes = promised
			}
			return h, nil
		case id == "fmt ":
			err = p.format(&h, int(min(size, fmtBytes)))
		case id == "ds64" && long:
			promised, err = p.ds64(size)
		}
		if err == nil {
			err = p.skip(next - p.at)
		}
		if err != nil {
			return h, err
		}
	}
}

// format reads the first n bytes of the chunk "fmt ".
func (p *parser) format(h *Header, n int) error {
	if n < 14 {
		return fault(spool.ErrCorrupt, "a WAV description of %d bytes", n)
	}
	b, err := p.read(n)
	if err != nil {
		return err
	}
	tag := binary.LittleEndian.Uint16(b)
	h.Channels = int(binary.LittleEndian.Uint16(b[2:]))
	rate := binary.LittleEndian.Uint32(b[4:])
	block := int(binary.LittleEndian.Uint16(b[12:]))
	h.Bits = 8 // in the plain WAVEFORMAT
	if n >= 16 {
		h.Bits = int(binary.LittleEndian.Uint16(b[14:]))
	}
	bits := h.Bits
	if tag == tagExtensible && n == fmtBytes {
		if valid := int(binary.LittleEndian.Uint16(b[18:])); valid > 0 && valid < bits {
			h.Bits = valid
		}
		h.Speakers = binary.LittleEndian.Uint32(b[20:])
		if tag = subformat(b[24:]); tag == 0 {
			return fault(spool.ErrUnsupported, "WAV samples of kind %x", b[24:])
		}
	}
	if h.Channels == 0 || rate == 0 || rate > math.MaxInt32 {
		return fault(spool.ErrCorrupt, "WAV samples of %d channels, %d a second", h.Channels, rate)
	}
	h.Rate = int(rate)
	if h.Encoding = encodingOf(tag, bits); h.Encoding == 0 {
		return fault(spool.ErrUnsupported, "WAV samples of kind %d with %d bits", tag, bits)
	}
	if h.Encoding == ALaw || h.Encoding == MuLaw {
		h.Bits = 8 // the only size, whatever the file contains
	}
	if block != 0 && block != h.Stride() {
		return fault(spool.ErrUnsupported, "WAV samples of %d bits, %d channels in %d bytes", bits, h.Channels, block)
	}
	return nil
}

// subformat is the format tag that a GUID of WAVE_FORMAT_EXTENSIBLE represents; 0 if there is none.
func subformat(guid []byte) uint16 {
	switch string(guid[4:]) {
	case "\x00\x00\x10\x00\x80\x00\x00\xaa\x00\x38\x9b\x71", // KSDATAFORMAT_SUBTYPE_WAVEFORMATEX
		"\x21\x07\xd3\x11\x86\x44\xc8\xc1\xca\x00\x00\x00": // the same for Ambisonic B-format
		if guid[2] == 0 && guid[3] == 0 {
			return binary.LittleEndian.Uint16(guid)
		}
	}
	return 0
}

// ds64 reads the number of bytes of samples in an RF64 or BW64 file: EBU Tech 3306.
func (p *parser) ds64(size uint32) (int64, error) {
	if size < 16 {
		return Unknown, fault(spool.ErrCorrupt, "64-bit WAV sizes of %d bytes", size)
	}
	b, err := p.read(16)
	if err != nil {
		return Unknown, err
	}
	if n := binary.LittleEndian.Uint64(b[8:]); n > 0 && n <= math.MaxInt64 {
		return int64(n), nil
	}
	return Unknown, nil
}

// read returns the next n bytes, valid until the next call.
func (p *parser) read(n int) ([]byte, error) {
	got, err := io.ReadFull(p.r, p.buf[:n])
	p.at += int64(got)
	return p.buf[:n], err
}

// skip skips n bytes. If r is a seeker, only the next read detects that they are missing.
func (p *parser) skip(n int64) error {
	if s, ok := p.r.(io.Seeker); ok {
		_, err := s.Seek(n, io.SeekCurrent)
		p.at += n
		return err
	}
	got, err := io.CopyN(io.Discard, p.r, n)
	p.at += got
	return err
}

func fault(class spool.Class, format string, args ...any) error {
	return &spool.Error{Op: "decode", Class: class, Text: fmt.Sprintf(format, args...)}
}
