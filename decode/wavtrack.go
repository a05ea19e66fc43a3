package decode

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"math/bits"
	"os"
	"unsafe"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/resample"
	"github.com/spoolmedia/spool/decode/wav"
)

// wavTrack reads a WAV file without FFmpeg. Of a file in memory samples are not copied where they fit.
type wavTrack struct {
	header wav.Header
	data   []byte // all of the file; or nil, and
	read   func(ctx context.Context, p []byte, off int64) (int, error)
	shut   func() error
	stream bool  // read goes forward only
	at     int64 // the next sample
	total  int64 // samples that are there; of a stream those that it promises, or unbounded
	short  bool  // the file has been found to lack samples
	over   bool  // next has come to the end
	block  []byte
	values []int32 // of what is stored in no format that resample reads
}

// wavHead is how much of a file tells whether it is for us.
const wavHead = 4096

// blockBytes is how much is read at a time; what is in memory already goes a strip at a time, so that a
// cancelled call ends soon.
const (
	blockBytes   = 64 << 10
	stripSamples = 64 << 10
)

// newWAV is a track of a file whose first bytes are head, nil when it is not one of ours. The file has size bytes, -1: unknown, and
// then it is a stream that stands at its beginning.
func newWAV(head []byte, size int64) *wavTrack {
	if !wav.Is(head) {
		return nil
	}
	h, err := wav.ReadHeader(bytes.NewReader(head))
	if err != nil || h.Channels > resample.MaxChannels || h.Rate > maxRate {
		return nil // FFmpeg may make more of it, or says what is wrong
	}
	t := &wavTrack{header: h, shut: func() error { return nil }, total: unbounded}
	if size >= 0 {
		t.total, t.short = h.Within(size), h.Truncated(size)
	} else if h.Bytes != wav.Unknown {
		t.total = h.Bytes / int64(h.Stride())
	}
	return t
}

// openWAV is the track of an input, nil when it is not one of ours; rest is what is to be opened instead then, and head
// how it begins.
func openWAV(c *call.Call, in Input) (t *wavTrack, rest Input, head []byte, err error) {
	switch {
	case in.Data != nil:
		head = in.Data
		if t = newWAV(head, int64(len(head))); t != nil {
			t.data = in.Data
		}
	case in.Path != "":
		t, head = wavFile(in.Path)
	case in.Object != nil:
		head = make([]byte, min(wavHead, in.Object.Size()))
		n, _, err := patiently(c.Context(), head, func(ctx context.Context, p []byte) (int, error) { return in.Object.ReadAt(ctx, p, 0) })
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, in, nil, ioError(c, err)
		}
		head = head[:n]
		if t = newWAV(head, in.Object.Size()); t != nil {
			t.read = in.Object.ReadAt
		}
	case in.Stream != nil:
		stream := bufio.NewReaderSize(in.Stream, blockBytes)
		_, _, err := patiently(c.Context(), nil, func(context.Context, []byte) (int, error) {
			_, err := stream.Peek(wavHead)
			return 0, err
		})
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, in, nil, ioError(c, err)
		}
		in.Stream = stream
		head, _ = stream.Peek(wavHead) // has been read
		if t = newWAV(head, -1); t != nil {
			_, _ = stream.Discard(int(t.header.Offset)) // likewise
			t.stream = true
			t.read = func(_ context.Context, p []byte, _ int64) (int, error) { return io.ReadFull(stream, p) }
		}
	}
	return t, in, head, nil
}

// ioError gives the error of somebody else's reader a class.
func ioError(c *call.Call, err error) error {
	class := spool.ClassOf(err)
	if class == "" {
		class = spool.ErrIO
	}
	if ended := c.Context().Err(); ended != nil {
		class = spool.ClassOf(ended)
	}
	return &spool.Error{Op: "decode", Class: class, Err: err}
}

// wavFile is the track of a file; nil when it is not one of ours, or cannot be opened, for which FFmpeg has the words.
func wavFile(path string) (t *wavTrack, head []byte) {
	file, err := os.Open(path)
	if err != nil {
		return nil, nil
	}
	if stat, err := file.Stat(); err == nil && stat.Mode().IsRegular() {
		head = make([]byte, wavHead)
		n, _ := file.ReadAt(head, 0)
		head = head[:n]
		if t := newWAV(head, stat.Size()); t != nil {
			t.read = func(_ context.Context, p []byte, off int64) (int, error) { return file.ReadAt(p, off) }
			t.shut = file.Close
			return t, head
		}
	}
	file.Close()
	return nil, head
}

func (t *wavTrack) info() AudioInfo {
	speakers := ""
	if mask := t.header.Speakers; bits.OnesCount32(mask) == t.header.Channels {
		speakers = av.LayoutName(uint64(mask))
	}
	i := AudioInfo{Format: "wav", Codec: t.header.Encoding.String(), Rate: t.header.Rate, Channels: t.header.Channels,
		Speakers: speakers, Bits: t.header.Bits, Samples: t.total, Exact: !t.stream}
	if t.total == unbounded {
		i.Samples = -1
	}
	return i
}

func (t *wavTrack) seek(_ *call.Call, sample int64) (int64, error) {
	if !t.stream {
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

func (t *wavTrack) end() (resample.Samples, error) {
	t.over = true
	return resample.Samples{}, io.EOF
}

// samples are those of p, in place where resample reads them as they are.
func (t *wavTrack) samples(p []byte) resample.Samples {
	s := resample.Samples{Channels: t.header.Channels, Len: len(p) / t.header.Stride()}
	e := t.header.Encoding
	switch e {
	case wav.Uint8:
		s.Format = resample.U8
	case wav.Int16:
		s.Format = resample.S16
	case wav.Int32:
		s.Format = resample.S32
	case wav.Float32:
		s.Format = resample.F32
	case wav.Float64:
		s.Format = resample.F64
	default:
		n := s.Len * s.Channels
		if len(t.values) < n {
			t.values = make([]int32, n)
		}
		wav.Interleaved(t.header, t.values[:n], p)
		s.Format, s.Planes = resample.S32, []unsafe.Pointer{unsafe.Pointer(unsafe.SliceData(t.values))}
		return s
	}
	if uintptr(unsafe.Pointer(unsafe.SliceData(p)))%uintptr(e.Size()) != 0 {
		if len(t.block) < len(p) {
			t.block = make([]byte, len(p))
		}
		p = t.block[:copy(t.block, p)]
	}
	s.Planes = []unsafe.Pointer{unsafe.Pointer(unsafe.SliceData(p))}
	return s
}

func (t *wavTrack) damage() []DamagedPacket {
	if !t.short || !t.over {
		return nil
	}
	t.short = false // is told once
	return []DamagedPacket{{PTS: float64(t.total) / float64(t.header.Rate), Class: spool.ErrTruncated, Text: "the file ends before its last sample"}}
}

func (t *wavTrack) close() error { return t.shut() }
