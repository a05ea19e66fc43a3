package av

import (
	"math"
	"time"
)

// Kind is the kind of a stream.
type Kind uint8

// The kinds of streams.
const (
	Other Kind = iota // subtitles, data, attachments, cover images
	Video
	Audio
)

// String returns the kind's name.
func (k Kind) String() string {
	return [...]string{"other", "video", "audio"}[min(k, Audio)]
}

// NoPTS is an unknown time stamp.
const NoPTS = math.MinInt64

// Ratio is a fraction. Both fields are 0 if it is unknown.
type Ratio struct{ Num, Den int }

// Float returns the fraction's value, or 0 if it is unknown.
func (r Ratio) Float() float64 {
	if r.Den == 0 {
		return 0
	}
	return float64(r.Num) / float64(r.Den)
}

// Media describes the content of a file. Unknown values are zero.
type Media struct {
	Format   string        // FFmpeg's names of the container, such as "mov,mp4,m4a,3gp,3g2,mj2"
	Start    time.Duration // of the earliest stream
	Duration time.Duration // of the whole file; an estimate if the container has no index
	Streams  []Stream
}

// Stream describes one stream of a file.
type Stream struct {
	Index    int
	Kind     Kind
	Codec    string // FFmpeg's name, such as "h264"
	Bits     int    // of a sample, or of a pixel's component; 0 for codecs without a fixed depth
	TimeBase Ratio  // seconds per tick of the stream's time stamps
	StartPTS int64  // in ticks; NoPTS if unknown
	Start    time.Duration
	Duration time.Duration
	Frames   int64  // from the container
	Language string // from the container, such as "eng"
	Default  bool   // the container marks it as the default stream
	Best     bool   // the default choice for its kind

	// For video.
	Width, Height int     // as stored, before Rotation
	PixelFormat   string  // FFmpeg's name, such as "yuv420p"
	Rotation      float64 // degrees counterclockwise to rotate the stored image for display, in (-180, 180]
	Mirrored      bool    // the display matrix also mirrors vertically, before the rotation
	FrameRate     Ratio   // average

	// For audio.
	Channels int
	Layout   string // of the channels, such as "stereo"; empty if the file has only their number
	Rate     int    // sample rate in Hz
}

// Best returns the default stream of a kind, or nil if there is none.
func (m *Media) Best(kind Kind) *Stream {
	for i := range m.Streams {
		if s := &m.Streams[i]; s.Best && s.Kind == kind {
			return s
		}
	}
	return nil
}
