package probe

import (
	"time"

	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/index"
	"github.com/spoolmedia/spool/decode/internal/container"
)

// Container describes a file of video or audio. Unknown values are zero.
type Container struct {
	Format   string        // FFmpeg's names of the container, such as "mov,mp4,m4a,3gp,3g2,mj2"
	Start    time.Duration // of the earliest stream
	Duration time.Duration // of the whole file; an estimate if the container has no index
	Streams  []Stream
}

// Stream describes one stream of a container. Unknown values are zero.
type Stream struct {
	Index    int           // in the file
	Medium   decode.Medium // Video or Audio; empty for subtitles, data, attachments and cover images
	Codec    string        // FFmpeg's name, such as "h264"
	Bits     int           // of an audio sample, or of a pixel's component; 0 for codecs without a fixed depth
	Start    time.Duration // by the container's clock
	Duration time.Duration
	Frames   int64  // of video; for audio the number of packets, if the container has it
	Language string // from the container, such as "eng"
	Default  bool   // the container marks it as the default stream
	Best     bool   // the default choice of its medium

	// For video.
	Width, Height int         // as stored, before Rotation
	PixelFormat   string      // FFmpeg's name, such as "yuv420p"
	Rotation      float64     // degrees counter-clockwise to rotate the stored frames for display, in (-180, 180]
	Mirrored      bool        // the display matrix also mirrors vertically, before the rotation
	FrameRate     index.Ratio // average frames a second

	// For audio.
	Channels int
	Speakers string // FFmpeg's name of the channel layout, such as "stereo"; empty if the file has only their number
	Rate     int    // samples a second
}

// containerOf describes what FFmpeg found.
func containerOf(m *av.Media) Container {
	c := Container{Format: m.Format, Start: m.Start, Duration: m.Duration, Streams: make([]Stream, len(m.Streams))}
	for i := range m.Streams {
		s := &m.Streams[i]
		c.Streams[i] = Stream{Index: s.Index, Medium: media[s.Kind], Codec: s.Codec, Bits: s.Bits, Start: s.Start,
			Duration: s.Duration, Frames: s.Frames, Language: s.Language, Default: s.Default, Best: s.Best,
			Width: s.Width, Height: s.Height, PixelFormat: s.PixelFormat, Rotation: s.Rotation, Mirrored: s.Mirrored,
			FrameRate: container.Ratio(s.FrameRate), Channels: s.Channels, Speakers: s.Layout, Rate: s.Rate}
	}
	return c
}

// media are the media of av's kinds of streams.
var media = [...]decode.Medium{av.Other: "", av.Video: decode.Video, av.Audio: decode.Audio}
