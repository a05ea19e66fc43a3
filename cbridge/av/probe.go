package av

import (
	"math"
	"time"

	"github.com/asticode/go-astiav"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
)

// Probe describes the content of a local video or audio file. It ignores the file's name.
//
//   - Result: from the container's header and the first packets. Frames are decoded only if a codec's parameters cannot
//     be found otherwise.
//   - Cancellation: between reads. Only regular files are opened, because a system call that blocks (such as reading a
//     pipe without a writer) cannot be interrupted.
//   - Errors: not-found, not-a-file, permission, empty; not-media if FFmpeg detects no format or no decodable stream of
//     video or audio; unsupported for images and for playlists, which name other files; truncated and corrupt;
//     too-large if FFmpeg would need more memory than its limit; io; canceled and timeout.
//   - Concurrency: safe; it uses one system thread during the call.
//   - Cost: 1 to 50 ms, depending on the bytes to read.
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
		Default:  d.isDefault,
		Language: language(s),
	}
	if p.CodecID() != astiav.CodecIDNone {
		out.Codec = p.CodecID().Name()
	}
	switch {
	case p.MediaType() == astiav.MediaTypeVideo && !d.attached:
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

// language returns the language tag of a stream, or an empty string.
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

// decodable reports whether the stream has the parameters that its decoder needs.
func (s Stream) decodable() bool {
	switch s.Kind {
	case Video:
		return s.Codec != "" && s.Width > 0 && s.Height > 0
	case Audio:
		return s.Codec != "" && s.Channels > 0 && s.Rate > 0
	}
	return false
}

// rotation returns an angle in degrees, or 0 for a display matrix that is not a rotation.
func rotation(angle float64) float64 {
	if math.IsNaN(angle) {
		return 0
	}
	return angle
}

// micros converts a time in FFmpeg's AV_TIME_BASE. Unknown times become 0.
func micros(t int64) time.Duration {
	if t == NoPTS {
		return 0
	}
	return time.Duration(t) * time.Microsecond
}

// ticks converts a time in a stream's time base, rounded to nanoseconds. Unknown times become 0.
func ticks(t int64, base astiav.Rational) time.Duration {
	if t == NoPTS || base.Den() == 0 {
		return 0
	}
	return time.Duration(math.Round(float64(t) * float64(base.Num()) / float64(base.Den()) * 1e9))
}
