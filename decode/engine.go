package decode

import (
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/spoolmedia/spool/cbridge/jpeg/baseline"
)

// JPEGEngine says what decodes JPEG pictures. Both give the same bytes, and the same errors and warnings.
type JPEGEngine uint8

const (
	// JPEGAuto is our own engine, about twice as fast, for the files that it is sure of, and libjpeg-turbo
	// for all others: arithmetic-coded ones, say, and damaged ones. See docs/jpeg.md.
	JPEGAuto JPEGEngine = iota
	// JPEGTurbo is libjpeg-turbo and nothing else.
	JPEGTurbo
)

var jpegEngineNames = [...]string{"auto", "turbo"}

// String is the choice's name on the command line.
func (e JPEGEngine) String() string {
	if int(e) < len(jpegEngineNames) {
		return jpegEngineNames[e]
	}
	return fmt.Sprintf("JPEGEngine(%d)", uint8(e))
}

// MarshalText gives the choice's name.
func (e JPEGEngine) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// UnmarshalText takes a choice's name.
func (e *JPEGEngine) UnmarshalText(text []byte) error {
	i := slices.Index(jpegEngineNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("%q is not one of %q", text, jpegEngineNames)
	}
	*e = JPEGEngine(i)
	return nil
}

// JPEGCounts say what has decoded the JPEG pictures so far, those that were refused in the end included.
type JPEGCounts struct {
	Own   int64            `json:"own"`            // by our own engine
	Turbo int64            `json:"turbo"`          // by libjpeg-turbo
	Left  map[string]int64 `json:"left,omitempty"` // of these, the ones that our engine left to it, by Road.Reason
}

// jpegEngine is what a decoder keeps for JPEG pictures.
type jpegEngine struct {
	engine     baseline.Engine
	turboOnly  bool
	own, turbo atomic.Int64
	left       [baseline.Reasons]atomic.Int64
}

func (e *jpegEngine) counts() JPEGCounts {
	c := JPEGCounts{Own: e.own.Load(), Turbo: e.turbo.Load()}
	for reason := range e.left {
		if n := e.left[reason].Load(); n > 0 {
			if c.Left == nil {
				c.Left = map[string]int64{}
			}
			c.Left[baseline.Reason(reason).String()] = n
		}
	}
	return c
}
