package av

import (
	"math"
	"time"
)

// Kind is what a stream carries.
type Kind uint8

// The kinds of streams.
const (
	Other Kind = iota // subtitles, data, attachments, covers
	Video
	Audio
)

// String is the kind's name.
func (k Kind) String() string {
	return [...]string{"other", "video", "audio"}[min(k, Audio)]
}

// NoPTS is a time stamp that is not known.
const NoPTS = math.MinInt64

// Ratio is a fraction; both parts are 0 when it is unknown.
type Ratio struct{ Num, Den int }

// Float is the fraction's value, 0 when it is unknown.
func (r Ratio) Float() float64 {
	if r.Den == 0 {
		return 0
	}
	return float64(r.Num) / float64(r.Den)
}

// Media says what a file holds. What the file does not tell is zero.
type Media struct {
	Format   string        // FFmpeg's names for the container, "mov,mp4,m4a,3gp,3g2,mj2"
	Start    time.Duration // of the earliest stream
	Duration time.Duration // of the whole; an estimate where the container has no index
	Streams  []Stream
}

// Stream is one stream of a file.
type Stream struct {
	Index    int
	Kind     Kind
	Codec    string // FFmpeg's name, "h264"
	Bits     int    // of a sample, or of a pixel's component; 0 for codecs without such a number
	TimeBase Ratio  // seconds to a tick of the stream's time stamps
	StartPTS int64  // in ticks; NoPTS when it is unknown
	Start    time.Duration
	Duration time.Duration
	Frames   int64  // as the container counts them
	Language string // as the container has it, "eng"
	Default  bool   // the container says that it is the one to take
	Best     bool   // the one to take when nobody chose

	// Of video.
	Width, Height int     // as stored, before Rotation
	PixelFormat   string  // FFmpeg's name, "yuv420p"
	Rotation      float64 // degrees counter-clockwise to turn the stored picture for display, in (-180, 180]
	Mirrored      bool    // the display matrix mirrors as well: vertically, before it turns
	FrameRate     Ratio   // average

	// Of audio.
	Channels int
	Layout   string // of the channels, "stereo"; empty when the file has only their number
	Rate     int    // samples a second
}

// Best is the stream of a kind to take when nobody chose one, nil when there is none.
func (m *Media) Best(kind Kind) *Stream {
	for i := range m.Streams {
		if s := &m.Streams[i]; s.Best && s.Kind == kind {
			return s
		}
	}
	return nil
}
