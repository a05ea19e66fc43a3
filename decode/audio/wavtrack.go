package audio

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
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/internal/contents"
	"github.com/spoolmedia/spool/decode/wav"
	"github.com/spoolmedia/spool/internal/ranges"
)

// wavTrack reads a WAV file without FFmpeg. Samples of a file in memory are not copied.
type wavTrack struct {
	*source
	header wav.Header
	at     int64 // the next sample
	total  int64 // samples in the file; for a stream the declared number, or unbounded
	short  bool  // the file was found to lack samples
	over   bool  // next has reached the end
	block  []byte
}

// blockBytes is the size of a read. Data in memory are processed in strips, so that a cancelled call ends soon.
const (
	blockBytes   = 64 << 10
	stripSamples = 64 << 10
)

// newWAV is the track of a WAV file, nil for files that are left to FFmpeg.
func newWAV(s *source) *wavTrack {
	if !wav.Is(s.head) {
		return nil
	}
	h, err := wav.ReadHeader(bytes.NewReader(s.head))
	if err != nil || h.Channels > resample.MaxChannels || h.Rate > maxRate {
		return nil // FFmpeg may decode it, or gives a precise error
	}
	t := &wavTrack{source: s, header: h, total: unbounded}
	switch {
	case s.stream == nil:
		t.total, t.short = h.Within(s.size), h.Truncated(s.size)
	case h.Bytes != wav.Unknown:
		t.total = h.Bytes / int64(h.Stride())
	}
	if s.stream != nil {
		_, _ = s.stream.Discard(int(h.Offset)) // is already buffered
	}
	return t
}

func (t *wavTrack) info() Info {
	speakers := ""
	if mask := t.header.Speakers; bits.OnesCount32(mask) == t.header.Channels {
		speakers = av.LayoutName(uint64(mask))
	}
	i := Info{Format: "wav", Codec: t.header.Encoding.String(), Rate: t.header.Rate, Channels: t.header.Channels,
		Speakers: speakers, Bits: t.header.Bits, Stored: wavStored[t.header.Encoding], Samples: t.total,
		Exact: t.stream == nil}
	if t.total == unbounded {
		i.Samples = -1
	}
	return i
}

func (t *wavTrack) trace() Trace { return Trace{Engine: "own"} }

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
	got, abandoned, err := contents.ReadCancellable(c.Context(), p, func(ctx context.Context, p []byte) (int, error) {
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

// bytes is the range of samples in the file.
func (t *wavTrack) bytes(from, to int64) ranges.Range {
	stride := int64(t.header.Stride())
	return ranges.Range{Begin: t.header.Offset + min(from, t.total)*stride, End: t.header.Offset + min(to, t.total)*stride}
}

func (t *wavTrack) end() (resample.Samples, error) {
	t.over = true
	return resample.Samples{}, io.EOF
}

// wavFormats are the formats of package resample for the encodings, which it reads directly.
var wavFormats = [...]resample.Format{wav.Uint8: resample.U8, wav.Int16: resample.S16, wav.Int24: resample.S24,
	wav.Int32:   resample.S32,
	wav.Float32: resample.F32, wav.Float64: resample.F64, wav.ALaw: resample.ALaw, wav.MuLaw: resample.MuLaw}

// wavStored are the formats in which FFmpeg's decoders of the encodings give samples.
var wavStored = [...]string{wav.Uint8: "u8", wav.Int16: "s16", wav.Int24: "s32", wav.Int32: "s32",
	wav.Float32: "flt", wav.Float64: "dbl", wav.ALaw: "s16", wav.MuLaw: "s16"}

// samples are the samples in p, in place.
func (t *wavTrack) samples(p []byte) resample.Samples {
	return resample.Samples{Format: wavFormats[t.header.Encoding], Channels: t.header.Channels,
		Len:    len(p) / t.header.Stride(),
		Planes: []unsafe.Pointer{unsafe.Pointer(unsafe.SliceData(p))}}
}

func (t *wavTrack) damage() []decode.DamagedPacket {
	if !t.short || !t.over {
		return nil
	}
	t.short = false // report it once
	return []decode.DamagedPacket{{PTS: float64(t.total) / float64(t.header.Rate), Class: spool.ErrTruncated,
		Text: "the file ends before its last sample"}}
}

func (t *wavTrack) close() error { return nil }
