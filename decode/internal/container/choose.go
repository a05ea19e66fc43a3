package container

import (
	"fmt"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/resample"
)

// MaxRate is the highest sample rate of audio that is decoded.
const MaxRate = 1 << 24

// ChooseVideo is the video stream of a number, else the best one of a language, else the best one.
func ChooseVideo(m *av.Media, stream *int, language string) (*av.Stream, error) {
	missing := func(format string, args ...any) error {
		return &spool.Error{Op: "decode", Class: spool.ErrNoSuchFrame, Text: fmt.Sprintf(format, args...)}
	}
	switch {
	case stream != nil:
		if n := *stream; n < len(m.Streams) && m.Streams[n].Kind == av.Video {
			return &m.Streams[n], nil
		} else if n < len(m.Streams) {
			return nil, missing("stream %d is not video", n)
		}
		return nil, missing("there is no stream %d: the file has %d", *stream, len(m.Streams))
	case language != "":
		var found *av.Stream
		for i := range m.Streams {
			s := &m.Streams[i]
			if s.Kind == av.Video && s.Language == language && (found == nil || s.Best || s.Default && !found.Default) {
				found = s
			}
		}
		if found == nil {
			return nil, missing("no video in the language %q", language)
		}
		return found, nil
	}
	if best := m.Best(av.Video); best != nil {
		return best, nil
	}
	return nil, missing("the file has no video")
}

// ChooseAudio is the audio stream of a number, else the best one of a language, else the best one.
func ChooseAudio(m *av.Media, stream *int, language string) (*av.Stream, error) {
	refuse := func(class spool.Class, format string, args ...any) error {
		return &spool.Error{Op: "decode", Class: class, Text: fmt.Sprintf(format, args...)}
	}
	var s *av.Stream
	switch {
	case stream != nil:
		if *stream >= len(m.Streams) {
			return nil, refuse(spool.ErrNoSuchFrame, "no stream %d of %d", *stream, len(m.Streams))
		}
		if s = &m.Streams[*stream]; s.Kind != av.Audio {
			return nil, refuse(spool.ErrNoSuchFrame, "stream %d is not audio", *stream)
		}
	case language != "":
		for i := range m.Streams {
			if x := &m.Streams[i]; x.Kind == av.Audio && x.Language == language && (s == nil || x.Default && !s.Default) {
				s = x
			}
		}
		if s == nil {
			return nil, refuse(spool.ErrNoSuchFrame, "no audio in language %q", language)
		}
	default:
		if s = m.Best(av.Audio); s == nil {
			return nil, refuse(spool.ErrNotMedia, "no audio stream (%s)", m.Format)
		}
	}
	if s.Rate <= 0 || s.Channels <= 0 {
		return nil, refuse(spool.ErrCorrupt, "audio of %d channels, %d samples a second", s.Channels, s.Rate)
	}
	if s.Rate > MaxRate || s.Channels > resample.MaxChannels {
		return nil, refuse(spool.ErrUnsupported, "audio of %d channels, %d samples a second", s.Channels, s.Rate)
	}
	return s, nil
}
