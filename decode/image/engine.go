package image

import "github.com/spoolmedia/spool/internal/enum"

// JPEGEngine selects the decoder of JPEG images. Both give the same bytes, errors and warnings.
type JPEGEngine uint8

const (
	// JPEGAuto uses our own engine, about twice as fast, for files that it supports. libjpeg-turbo decodes all others,
	// such as arithmetic-coded and damaged files. See docs/jpeg.md.
	JPEGAuto JPEGEngine = iota
	// JPEGTurbo uses only libjpeg-turbo.
	JPEGTurbo
)

var jpegEngineNames = enum.Names{"auto", "turbo"}

// String is the engine's name on the command line.
func (e JPEGEngine) String() string { return jpegEngineNames.Of("JPEGEngine", uint8(e)) }

// MarshalText returns the engine's name.
func (e JPEGEngine) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// UnmarshalText parses an engine's name.
func (e *JPEGEngine) UnmarshalText(text []byte) error { return enum.Parse(e, text, jpegEngineNames) }

// JPEGCounts counts the JPEG images decoded so far, by engine. Images that were refused in the end count too, except
// those that a helper process has refused.
type JPEGCounts struct {
	Own   int64            `json:"own"`            // by our own engine
	Turbo int64            `json:"turbo"`          // by libjpeg-turbo
	Left  map[string]int64 `json:"left,omitempty"` // of these, those that our engine declined, by Trace.Reason
}
