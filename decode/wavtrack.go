package decode

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/bits"
	"unsafe"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/resample"
	"github.com/spoolmedia/spool/decode/wav"
	"github.com/spoolmedia/spool/internal/ranges"
)

// wavTrack reads a WAV file without FFmpeg. Of a file in memory samples are not copied.
type wavTrack struct {
	*soundSource
	header wav.Header
	at     int64 // the next sample
	total  int64 // samples that are there; of a stream those that it promises, or unbounded
	short  bool  // the file has been found to lack samples
	over   bool  // next has come to the end
	block  []byte
}

// blockBytes is how much is read at a time; what is in memory already goes a strip at a time, so that a
// cancelled call ends soon.
const (
	blockBytes   = 64 << 10
	stripSamples = 64 << 10
)

// newWAV is the track of a WAV file, nil when it is not one of ours.
func newWAV(s *soundSource) *wavTrack {
	if !wav.Is(s.head) {
		return nil
	}
	h, err := wav.ReadHeader(bytes.NewReader(s.head))
	if err != nil || h.Channels > resample.MaxChannels || h.Rate > maxRate {
		return nil // FFmpeg may make more of it, or says what is wrong
	}
	t := &wavTrack{soundSource: s, header: h, total: unbounded}
	switch {
	case s.stream == nil:
		t.total, t.short = h.Within(s.size), h.Truncated(s.size)
	case h.Bytes != wav.Unknown:
		t.total = h.Bytes / int64(h.Stride())
	}
	if s.stream != nil {
		_, _ = s.stream.Discard(int(h.Offset)) // has been read
	}
	return t
}

func (t *wavTrack) info() AudioInfo {
	speakers := ""
	if mask := t.header.Speakers; bits.OnesCount32(mask) == t.header.Channels {
		speakers = av.LayoutName(uint64(mask))
	}
	i := AudioInfo{Format: "wav", Codec: t.header.Encoding.String(), Rate: t.header.Rate, Channels: t.header.Channels,
		Speakers: speakers, Bits: t.header.Bits, Samples: t.total, Exact: t.stream == nil}
	if t.total == unbounded {
		i.Samples = -1
	}
	return i
}

func (t *wavTrack) road() AudioRoad { return AudioRoad{Engine: "own"} }

func (t *wavTrack) seek(_ *call.Call, sample int64) (int64, error) {
	if t.stream == nil {
		t.at = min(sample, t.total)
		return t.at, nil
	}
	if sample < t.at {
		return 0, spent(sample, t.at)
	}
	return t.at, nil
}

func (t *wavTrack) next(c *call.Call) (resample.Samples, error) {
	if err := c.Err(); err != nil {
		return resample.Samples{}, err
	}
	stride := t.header.Stride()
	if t.data != nil {
		n := min(t.total-t.at, stripSamples)
		if n == 0 {
			return t.end()
		}
		from := t.header.Offset + t.at*int64(stride)
		t.at += n
		return t.samples(t.data[from:][:n*int64(stride)]), nil
	}
	n := min(t.total-t.at, int64(max(blockBytes/stride, 1)))
	if n == 0 {
		return t.end()
	}
	if len(t.block) < int(n)*stride {
		t.block = make([]byte, int(n)*stride)
	}
	p := t.block[:int(n)*stride]
	got, abandoned, err := patiently(c.Context(), p, func(ctx context.Context, p []byte) (int, error) {
		return t.read(ctx, p, t.header.Offset+t.at*int64(stride))
	})
	if abandoned {
		t.block = nil
	}
	if got < len(p) && err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return resample.Samples{}, ioError(c, err)
	}
	if got < len(p) {
		t.short = t.total != unbounded
		t.total = t.at + int64(got/stride)
	}
	if got < stride {
		return t.end()
	}
	t.at += int64(got / stride)
	return t.samples(p[:got-got%stride]), nil
}

// bytes are where samples lie in the file.
func (t *wavTrack) bytes(from, to int64) ranges.Range {
	stride := int64(t.header.Stride())
	return ranges.Range{Begin: t.header.Offset + min(from, t.total)*stride, End: t.header.Offset + min(to, t.total)*stride}
}

func (t *wavTrack) end() (resample.Samples, error) {
	t.over = true
	return resample.Samples{}, io.EOF
}

// wavFormats are what resample calls the encodings: it reads all of them as they are.
var wavFormats = [...]resample.Format{wav.Uint8: resample.U8, wav.Int16: resample.S16, wav.Int24: resample.S24, wav.Int32: resample.S32,
	wav.Float32: resample.F32, wav.Float64: resample.F64, wav.ALaw: resample.ALaw, wav.MuLaw: resample.MuLaw}

// samples are those of p, in place.
func (t *wavTrack) samples(p []byte) resample.Samples {
	return resample.Samples{Format: wavFormats[t.header.Encoding], Channels: t.header.Channels, Len: len(p) / t.header.Stride(),
		Planes: []unsafe.Pointer{unsafe.Pointer(unsafe.SliceData(p))}}
}

func (t *wavTrack) damage() []DamagedPacket {
	if !t.short || !t.over {
		return nil
	}
	t.short = false // is told once
	return []DamagedPacket{{PTS: float64(t.total) / float64(t.header.Rate), Class: spool.ErrTruncated, Text: "the file ends before its last sample"}}
}

func (t *wavTrack) close() error { return nil }
