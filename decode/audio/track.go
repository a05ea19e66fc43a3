package audio

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/flac"
	"github.com/spoolmedia/spool/cbridge/resample"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/internal/container"
)

// track gives the samples of an audio stream as stored, in order, from any position. Only one goroutine may use it at a
// time.
type track interface {
	// info describes the stream, and trace its decoder.
	info() Info
	trace() Trace
	// seek makes next continue with the given sample or one before it, and returns which.
	seek(c *call.Call, sample int64) (int64, error)
	// next returns the following samples, at least one, valid until the next call. The end is io.EOF. After errOther a
	// fallback decodes the following samples; its earlier samples, and its info, may differ.
	next(c *call.Call) (resample.Samples, error)
	// damage returns the damage found since the last call, up to the samples that next returned last. At io.EOF it
	// includes damage after all samples.
	damage() []decode.DamagedPacket
	close() error
}

// errOther reports that a fallback decodes the following samples.
var errOther = errors.New("decode: left to FFmpeg")

// after is s without its first n samples.
func after(s resample.Samples, n int) resample.Samples {
	if n >= s.Len {
		return resample.Samples{Channels: s.Channels} // a pointer past the end of Go memory is not allowed
	}
	step := s.Format.Size()
	if len(s.Planes) == 1 {
		step *= s.Channels
	}
	planes := make([]unsafe.Pointer, len(s.Planes))
	for i, plane := range s.Planes {
		planes[i] = unsafe.Add(plane, n*step)
	}
	s.Planes, s.Len = planes, s.Len-n
	return s
}

// spent is the error of a stream that was asked for samples before its position.
func spent(sample, at int64) error {
	return &spool.Error{Op: "decode", Class: spool.ErrUnsupported,
		Text: fmt.Sprintf("sample %d of a stream that has been read up to %d", sample, at)}
}

// openTrack opens the audio of an input. FFmpeg opens what our own readers do not.
func (d *Decoder) openTrack(c *call.Call, in *container.Input, o OpenOptions) (track, error) {
	told, left := false, flac.Decoded
	if o.Codec == "" && (o.Stream == nil || *o.Stream == 0) && o.Language == "" {
		s, rest, err := newSource(c, in)
		if err != nil {
			return nil, err
		}
		if t := newWAV(s); t != nil {
			return t, nil
		}
		in = rest
		if flac.Is(s.head) && !d.flac.ffmpegOnly && len(o.CodecOptions) == 0 {
			t, reason, err := newFLAC(c, s, in, o, &d.flac)
			if err != nil {
				return nil, err
			}
			if t != nil {
				return t, nil
			}
			left = reason
		}
		told = !in.IsStream() && len(s.head) >= 12 && string(s.head[4:8]) == "ftyp" // MP4 and related formats
	}
	t, err := openCoded(c, in, o, told)
	if err != nil {
		return nil, err // a nil pointer in t would be a non-nil track
	}
	t.left = left
	return t, nil
}
