// Package probed describes media files in the format of probe --json.
package probed

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/probe"
	"github.com/spoolmedia/spool/internal/jsonname"
)

// File describes a file, or why it could not be probed. Fields that do not apply are left out.
type File struct {
	File        jsonname.Name `json:"file"`
	Kind        decode.Medium `json:"kind,omitempty"`
	Format      string        `json:"format,omitempty"`
	Width       int           `json:"width,omitempty"`
	Height      int           `json:"height,omitempty"`
	Channels    int           `json:"channels,omitempty"`
	Bits        int           `json:"bits,omitempty"`
	Frames      int64         `json:"frames,omitempty"`
	Orientation int           `json:"orientation,omitempty"`
	Duration    float64       `json:"duration_s,omitempty"`
	Rate        float64       `json:"rate,omitempty"`
	Streams     []Stream      `json:"streams,omitempty"`
	Fetched     int64         `json:"bytes_fetched,omitempty"` // of a remote file
	Bytes       int64         `json:"bytes_file,omitempty"`
	Error       *Error        `json:"error,omitempty"`
}

// Stream is a stream of a container: video, audio or another type.
type Stream struct {
	Index    int     `json:"index"`
	Type     string  `json:"type"`
	Codec    string  `json:"codec,omitempty"`
	Width    int     `json:"width,omitempty"`
	Height   int     `json:"height,omitempty"`
	PixFmt   string  `json:"pix_fmt,omitempty"`
	Rotation float64 `json:"rotation,omitempty"`
	Rate     float64 `json:"rate,omitempty"`
	Channels int     `json:"channels,omitempty"`
	Layout   string  `json:"layout,omitempty"`
	Frames   int64   `json:"frames,omitempty"`
	Duration float64 `json:"duration_s,omitempty"`
	Start    float64 `json:"start_s"`
	Best     bool    `json:"best"`
}

// Error is why a file could not be probed.
type Error struct {
	Class   spool.Class `json:"class"`
	Text    string      `json:"text"`
	Library string      `json:"library,omitempty"`
	Code    int         `json:"code,omitempty"`
}

// Bad describes a file that could not be probed.
func Bad(name string, err error) File {
	p := File{File: jsonname.Name(name), Error: &Error{Class: spool.ClassOf(err), Text: err.Error()}}
	if e, ok := errors.AsType[*spool.Error](err); ok {
		p.Error = &Error{Class: e.Class, Text: cmp.Or(e.Text, e.Detail()), Library: e.Lib, Code: e.Code}
	}
	return p
}

// Good describes a file with the media m. Sizes are as stored, as in ffprobe: before an image's orientation and a
// video's rotation. The fields of a container's File are those of its best stream.
func Good(name string, m probe.Media) File {
	p := File{File: jsonname.Name(name), Kind: m.Medium, Fetched: m.Fetched.Bytes, Bytes: m.Fetched.Size}
	if m.Medium == decode.Image {
		i := m.Image
		p.Format, p.Width, p.Height, p.Channels, p.Bits = i.Format.String(), i.Width, i.Height, i.Channels, i.Bits
		p.Frames, p.Orientation = int64(i.Frames), i.Orientation
		return p
	}
	p.Format, p.Duration = m.Container.Format, m.Container.Duration.Seconds()
	for _, s := range m.Container.Streams {
		p.Streams = append(p.Streams, Stream{Index: s.Index, Type: string(cmp.Or(s.Medium, "other")), Codec: s.Codec,
			Width:  s.Width,
			Height: s.Height,
			PixFmt: s.PixelFormat, Rotation: s.Rotation, Rate: rate(s), Channels: s.Channels, Layout: s.Speakers,
			Frames:   s.Frames,
			Duration: s.Duration.Seconds(), Start: s.Start.Seconds(), Best: s.Best})
		if !s.Best || s.Medium != m.Medium {
			continue
		}
		p.Width, p.Height, p.Channels, p.Bits, p.Rate = s.Width, s.Height, s.Channels, s.Bits, rate(s)
		if s.Medium == decode.Video { // for audio it would count packets
			p.Frames = s.Frames
		}
	}
	return p
}

// rate returns frames a second of video, samples a second of audio.
func rate(s probe.Stream) float64 {
	switch {
	case s.Medium == decode.Audio:
		return float64(s.Rate)
	case s.FrameRate.Den == 0:
		return 0
	}
	return float64(s.FrameRate.Num) / float64(s.FrameRate.Den)
}

// InWords summarizes media in one line of text.
func InWords(m probe.Media) string {
	if m.Medium == decode.Image {
		i := m.Image
		words := []string{fmt.Sprintf("image %v %dx%d, %d channels of %d bits", i.Format, i.Width, i.Height, i.Channels,
			i.Bits)}
		if i.Frames > 1 {
			words = append(words, fmt.Sprintf("%d frames", i.Frames))
		}
		if i.Orientation > 1 {
			words = append(words, fmt.Sprintf("orientation %d", i.Orientation))
		}
		return strings.Join(words, ", ")
	}
	words := []string{fmt.Sprintf("%s %s %.3f s", m.Medium, m.Container.Format, m.Container.Duration.Seconds())}
	for _, s := range m.Container.Streams {
		switch s.Medium {
		case decode.Video:
			words = append(words, fmt.Sprintf("%s %dx%d %.3g/s", s.Codec, s.Width, s.Height, rate(s)))
		case decode.Audio:
			words = append(words, fmt.Sprintf("%s %.6g Hz %d channels", s.Codec, rate(s), s.Channels))
		}
	}
	return strings.Join(words, ", ")
}
