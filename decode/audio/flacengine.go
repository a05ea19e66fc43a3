package audio

import (
	"sync/atomic"

	"github.com/spoolmedia/spool/cbridge/flac"
	"github.com/spoolmedia/spool/internal/enum"
)

// FLACEngine selects the decoder of FLAC files. Both give the same samples and errors.
type FLACEngine uint8

const (
	// FLACAuto uses our own engine, which is more than twice as fast, for regular files, and FFmpeg for all others. These
	// are irregular files, FLAC in other containers, and streams that can be read only once. See docs/audio.md.
	FLACAuto FLACEngine = iota
	// FLACFFmpeg uses only FFmpeg.
	FLACFFmpeg
)

var flacEngineNames = enum.Names{"auto", "ffmpeg"}

// String is the engine's name on the command line.
func (e FLACEngine) String() string { return flacEngineNames.Of("FLACEngine", uint8(e)) }

// MarshalText returns the engine's name.
func (e FLACEngine) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// UnmarshalText parses an engine's name.
func (e *FLACEngine) UnmarshalText(text []byte) error { return enum.Parse(e, text, flacEngineNames) }

// FLACCounts counts the FLAC files opened so far, by engine.
type FLACCounts struct {
	Own    int64            `json:"own"`            // our own engine
	FFmpeg int64            `json:"ffmpeg"`         // FFmpeg, from the beginning or from where our engine stopped
	Left   map[string]int64 `json:"left,omitempty"` // of these, those that our engine declined, by Trace.Reason
}

// flacEngine is a decoder's state for FLAC files.
type flacEngine struct {
	ffmpegOnly  bool
	own, ffmpeg atomic.Int64
	left        [flac.Reasons]atomic.Int64
}

// countFallback counts a file that is left to FFmpeg.
func (e *flacEngine) countFallback(reason flac.Reason) {
	e.ffmpeg.Add(1)
	e.left[reason].Add(1)
}

func (e *flacEngine) counts() FLACCounts {
	c := FLACCounts{Own: e.own.Load(), FFmpeg: e.ffmpeg.Load()}
	c.Left = enum.Counts(e.left[:], func(reason int) string { return flac.Reason(reason).String() })
	return c
}
