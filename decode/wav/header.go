package wav

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/spoolmedia/spool"
)

// Header is what a file says before its samples, which are interleaved: the first sample of each channel, then
// the second of each.
type Header struct {
	Encoding Encoding
	Channels int
	Rate     int    // samples a second and channel
	Bits     int    // of a sample that count; integers have them on top, and zeros below
	Speakers uint32 // the channels' places, dwChannelMask of WAVE_FORMAT_EXTENSIBLE; 0 when the file does not say
	Offset   int64  // of the first sample in the file
	Bytes    int64  // of samples that the file promises; Unknown when it does not say
}

// Unknown stands for a number of bytes that the writer has not filled in.
const Unknown = -1

// Stride is the number of bytes from one sample of a channel to the next.
func (h Header) Stride() int { return h.Channels * h.Encoding.Size() }

// Within is how many samples each channel has in a file of size bytes. A last one that is not whole does not count.
func (h Header) Within(size int64) int64 {
	n := max(size-h.Offset, 0)
	if h.Bytes != Unknown {
		n = min(n, h.Bytes)
	}
	return n / int64(h.Stride())
}

// Truncated reports whether a file of size bytes lacks samples that its header promises.
func (h Header) Truncated(size int64) bool { return h.Bytes != Unknown && size-h.Offset < h.Bytes }

// Is reports whether a file that begins with head is for ReadHeader. It needs 12 bytes.
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

// ReadHeader reads a file up to its first sample, which is the next byte of r when it returns. Chunks that it
// passes over are not read where r is an io.Seeker.
//
//	Errors:  *spool.Error of the class ErrNotMedia: it is no WAV file; ErrUnsupported: samples of another kind, or
//	         a description that comes after the samples; ErrTruncated: it ends before the first sample; ErrCorrupt;
//	         an error of r as it is.
//	Memory:  none in proportion to what the file says.
func ReadHeader(r io.Reader) (Header, error) {
	p := parser{r: r}
	h, err := p.header()
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = fault(spool.ErrTruncated, "a WAV file without samples: it ends after %d bytes", p.at)
	}
	return h, err
}

// parser goes through the chunks of a file.
type parser struct {
	r   io.Reader
	at  int64 // bytes read or passed over
	buf [fmtBytes]byte
}

// fmtBytes is as much as counts of the chunk "fmt ": WAVEFORMATEXTENSIBLE.
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
	promised := int64(Unknown) // of samples, by the chunk ds64
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
	h.Bits = 8 // of the plain WAVEFORMAT
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
		h.Bits = 8 // there is no other, whatever the file says
	}
	if block != 0 && block != h.Stride() {
		return fault(spool.ErrUnsupported, "WAV samples of %d bits, %d channels in %d bytes", bits, h.Channels, block)
	}
	return nil
}

// subformat is the format tag that a GUID of WAVE_FORMAT_EXTENSIBLE stands for; 0 when it is none.
func subformat(guid []byte) uint16 {
	switch string(guid[4:]) {
	case "\x00\x00\x10\x00\x80\x00\x00\xaa\x00\x38\x9b\x71", // KSDATAFORMAT_SUBTYPE_WAVEFORMATEX
		"\x21\x07\xd3\x11\x86\x44\xc8\xc1\xca\x00\x00\x00": // the same of Ambisonic B-format
		if guid[2] == 0 && guid[3] == 0 {
			return binary.LittleEndian.Uint16(guid)
		}
	}
	return 0
}

// ds64 reads how many bytes of samples an RF64 or BW64 file has: EBU Tech 3306.
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

// read gives the next n bytes, valid until the next call.
func (p *parser) read(n int) ([]byte, error) {
	got, err := io.ReadFull(p.r, p.buf[:n])
	p.at += int64(got)
	return p.buf[:n], err
}

// skip passes over n bytes. A seeker does not say that they are not there; the next read does.
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
