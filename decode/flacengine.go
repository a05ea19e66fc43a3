package decode

import (
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/spoolmedia/spool/cbridge/flac"
)

// FLACEngine says what decodes FLAC files. Both give the same samples, and the same errors.
type FLACEngine uint8

const (
	// FLACAuto is our own engine, more than twice as fast, for files that are as they should be, and FFmpeg for all
	// others, FLAC in other containers, and streams that come once. See docs/audio.md.
	FLACAuto FLACEngine = iota
	// FLACFFmpeg is FFmpeg and nothing else.
	FLACFFmpeg
)

var flacEngineNames = [...]string{"auto", "ffmpeg"}

// String is the choice's name on the command line.
func (e FLACEngine) String() string {
	if int(e) < len(flacEngineNames) {
		return flacEngineNames[e]
	}
	return fmt.Sprintf("FLACEngine(%d)", uint8(e))
}

// MarshalText gives the choice's name.
func (e FLACEngine) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// UnmarshalText takes a choice's name.
func (e *FLACEngine) UnmarshalText(text []byte) error {
	i := slices.Index(flacEngineNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("%q is not one of %q", text, flacEngineNames)
	}
	*e = FLACEngine(i)
	return nil
}

// FLACCounts say what decoded the FLAC files that were opened so far.
type FLACCounts struct {
	Own    int64            `json:"own"`            // our own engine
	FFmpeg int64            `json:"ffmpeg"`         // FFmpeg, from the beginning or from where our engine met something odd
	Left   map[string]int64 `json:"left,omitempty"` // of these, the ones that our engine left to it, by AudioRoad.Reason
}

// flacEngine is what a decoder keeps for FLAC files.
type flacEngine struct {
	ffmpegOnly  bool
	own, ffmpeg atomic.Int64
	left        [flac.Reasons]atomic.Int64
}

// leave counts a file that is left to FFmpeg.
func (e *flacEngine) leave(reason flac.Reason) {
	e.ffmpeg.Add(1)
	e.left[reason].Add(1)
}

func (e *flacEngine) counts() FLACCounts {
	c := FLACCounts{Own: e.own.Load(), FFmpeg: e.ffmpeg.Load()}
	for reason := range e.left {
		if n := e.left[reason].Load(); n > 0 {
			if c.Left == nil {
				c.Left = map[string]int64{}
			}
			c.Left[flac.Reason(reason).String()] = n
		}
	}
	return c
}
