package av

import (
	"math"
	"time"

	"github.com/asticode/go-astiav"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
)

// Probe says what a local file of video or sound holds. Its name is not looked at.
//
//	Result:       as far as the container's header and the first packets tell; no frame is decoded but
//	              where a codec's parameters are found in no other way.
//	Cancellation: between reads. Only regular files are opened, because a read that hangs in the system
//	              (a pipe nobody writes to) cannot be interrupted.
//	Errors:       not-found, not-a-file, permission, empty; not-media: FFmpeg finds no format, or finds no
//	              stream of video or sound that could be decoded; unsupported: pictures, playlists that
//	              name other files; truncated and corrupt; too-large: asks FFmpeg for more memory than its
//	              own bound; io; canceled and timeout.
//	Concurrency:  safe; one thread of the system for the time of the call.
//	Cost:         1 to 50 ms, by how much has to be read.
func Probe(c *call.Call, path string) (Media, error) {
	in, err := Open(c, spool.File(path), InputOptions{})
	if err != nil {
		return Media{}, err
	}
	m := in.Media()
	return m, in.Close()
}

func (in *input) describe() Media {
	m := Media{Format: in.guess.format, Start: micros(in.context.StartTime()), Duration: micros(in.context.Duration())}
	for _, s := range in.context.Streams() {
		m.Streams = append(m.Streams, in.stream(s))
	}
	video := in.best(astiav.MediaTypeVideo, -1)
	for _, best := range []int{video, in.best(astiav.MediaTypeAudio, video)} {
		if best >= 0 {
			m.Streams[best].Best = m.Streams[best].Kind != Other
		}
	}
	return m
}

func (in *input) stream(s *astiav.Stream) Stream {
	p := s.CodecParameters()
	d := in.details(s.Index())
	out := Stream{
		Index:    s.Index(),
		Bits:     d.bits,
		TimeBase: Ratio{s.TimeBase().Num(), s.TimeBase().Den()},
		StartPTS: s.StartTime(),
		Start:    ticks(s.StartTime(), s.TimeBase()),
		Duration: ticks(s.Duration(), s.TimeBase()),
		Frames:   s.NbFrames(),
		Default:  d.chosen,
		Language: language(s),
	}
	if p.CodecID() != astiav.CodecIDNone {
		out.Codec = p.CodecID().Name()
	}
	switch {
	case p.MediaType() == astiav.MediaTypeVideo && !d.picture:
		out.Kind = Video
		out.Width, out.Height = p.Width(), p.Height()
		out.PixelFormat = p.PixelFormat().Name()
		out.Rotation, out.Mirrored = rotation(d.rotation), d.mirrored
		out.FrameRate = Ratio{s.AvgFrameRate().Num(), s.AvgFrameRate().Den()}
	case p.MediaType() == astiav.MediaTypeAudio:
		out.Kind = Audio
		out.Channels, out.Layout, out.Rate = d.channels, d.layout, p.SampleRate()
	}
	return out
}

// language is the tag of a stream, empty without one.
func language(s *astiav.Stream) string {
	tags := s.Metadata()
	if tags == nil {
		return ""
	}
	tag := tags.Get("language", nil, 0)
	if tag == nil || tag.Value() == "und" { // undetermined
		return ""
	}
	return tag.Value()
}

// decodable reports whether the stream has what its decoder needs.
func (s Stream) decodable() bool {
	switch s.Kind {
	case Video:
		return s.Codec != "" && s.Width > 0 && s.Height > 0
	case Audio:
		return s.Codec != "" && s.Channels > 0 && s.Rate > 0
	}
	return false
}

// rotation is an angle in degrees, 0 of a display matrix that is no rotation.
func rotation(angle float64) float64 {
	if math.IsNaN(angle) {
		return 0
	}
	return angle
}

// micros is a time in FFmpeg's own base, 0 when it is unknown.
func micros(t int64) time.Duration {
	if t == NoPTS {
		return 0
	}
	return time.Duration(t) * time.Microsecond
}

// ticks is a time in a stream's base, rounded to the nanosecond; 0 when it is unknown.
func ticks(t int64, base astiav.Rational) time.Duration {
	if t == NoPTS || base.Den() == 0 {
		return 0
	}
	return time.Duration(math.Round(float64(t) * float64(base.Num()) / float64(base.Den()) * 1e9))
}
