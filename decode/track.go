package decode

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/flac"
	"github.com/spoolmedia/spool/cbridge/resample"
)

// track gives a sound's samples as they are stored, in order, from any position. It belongs to one goroutine at a time.
type track interface {
	// info is what the file says of itself, and road what reads it.
	info() AudioInfo
	road() AudioRoad
	// seek makes the samples that follow begin with number sample or one before, and says with which.
	seek(c *call.Call, sample int64) (int64, error)
	// next gives the samples that follow, at least one, lent until the next call. io.EOF is the end. After errOther it
	// goes on with the samples that follow by another way, which may have another word on those before, and on info.
	next(c *call.Call) (resample.Samples, error)
	// damage gives what was found since the last call, up to the samples that next gave last; at io.EOF, what is
	// behind all samples.
	damage() []DamagedPacket
	close() error
}

// errOther says that from here on samples come another way.
var errOther = errors.New("decode: left to FFmpeg")

// after is s without its first n samples.
func after(s resample.Samples, n int) resample.Samples {
	if n >= s.Len {
		return resample.Samples{Channels: s.Channels} // a pointer behind Go's memory must not exist
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

// spent is the error of a stream that was asked for what has passed.
func spent(sample, at int64) error {
	return &spool.Error{Op: "decode", Class: spool.ErrUnsupported,
		Text: fmt.Sprintf("sample %d of a stream that has been read up to %d", sample, at)}
}

// openTrack opens the sound of an input. What is not for this module is FFmpeg's.
func (d *Decoder) openTrack(c *call.Call, in *input, o AudioOptions) (track, error) {
	told, left := false, flac.Decoded
	if o.Codec == "" && (o.Stream == nil || *o.Stream == 0) && o.Language == "" {
		s, rest, err := newSoundSource(c, in)
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
		told = !in.isStream() && len(s.head) >= 12 && string(s.head[4:8]) == "ftyp" // MP4 and its family
	}
	t, err := openCoded(c, in, o, told)
	if err != nil {
		return nil, err // and no track, which a nil pointer would be
	}
	t.left = left
	return t, nil
}
