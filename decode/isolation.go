package decode

import (
	"cmp"
	"os"
	"time"

	"github.com/spoolmedia/spool/internal/enum"
	"github.com/spoolmedia/spool/internal/helper"
	"github.com/spoolmedia/spool/internal/invalid"
)

// Isolate says what is decoded in helper processes, where a library that crashes costs one sample, and not the program.
// See docs/isolation.md.
type Isolate uint8

const (
	// IsolateHEIC is HEIC if there is a helper, and none if not. The library that decodes HEIC cannot be interrupted; a
	// helper can be ended.
	IsolateHEIC Isolate = iota
	IsolateOff          // none
	// IsolateAuto is what large libraries of others decode: HEIC, AVIF, JPEG 2000, JPEG XL, TIFF and HDR; video; and
	// audio, except WAV.
	IsolateAuto
	// IsolateAll is all media, except SVG, PDF, EXR and formats of ImageMagick, whose loaders open files; streams; and
	// videos that a device decodes.
	IsolateAll
)

var isolateNames = enum.Names{"heic", "off", "auto", "all"}

// String is the name on the command line.
func (i Isolate) String() string { return isolateNames.Of("Isolate", uint8(i)) }

// MarshalText returns the name.
func (i Isolate) MarshalText() ([]byte, error) { return []byte(i.String()), nil }

// UnmarshalText parses a name.
func (i *Isolate) UnmarshalText(text []byte) error { return enum.Parse(i, text, isolateNames) }

// Isolation is the settings of helper processes.
type Isolation struct {
	Which Isolate
	// Helper is the path of the helper: a program that calls isolate.Main (package decode/isolate) first. It may be the
	// program itself. Empty means the value of the environment variable SPOOL_HELPER.
	Helper string
	// Processes is the most helpers that run at a time; 0 means GOMAXPROCS and one more. They start when they are
	// needed.
	Processes int
	// CPU is the most processor time that one image may take; 0 means a minute. A request for video may take a second more
	// for each frame, and video and audio a microsecond more for each byte of the object.
	CPU time.Duration
}

// The memory that a helper maps for a file and for a result is bounded even without Limits. It takes only what is used.
const (
	maxMapped   = 1 << 36
	helperSlack = 1 << 30 // stacks of threads and the reserve of allocators, which count in the limit of memory
)

// pool makes the helpers. It is nil for IsolateOff, and for IsolateHEIC without a helper.
func (i Isolation) pool(l Limits) (*helper.Pool, error) {
	var bad invalid.Options
	if int(i.Which) >= len(isolateNames) {
		bad.Value("Isolate.Which", uint8(i.Which), "no such choice")
	}
	program := cmp.Or(i.Helper, os.Getenv("SPOOL_HELPER"))
	none := i.Which == IsolateOff || i.Which == IsolateHEIC && program == ""
	if !none && program == "" {
		bad.Needs(invalid.With("Isolate.Which", i.Which), invalid.Named("Isolate.Helper"),
			"or SPOOL_HELPER in the environment: the program of a helper")
	}
	if i.Processes < 0 {
		bad.Value("Isolate.Processes", i.Processes, "must not be negative")
	}
	if i.CPU < 0 {
		bad.Value("Isolate.CPU", i.CPU, "must not be negative")
	}
	if err := bad.Err(); err != nil || none {
		return nil, err
	}
	return helper.New(helper.Options{Command: []string{program}, Processes: i.Processes, CPU: i.CPU,
		Input: min(l.MaxBytes, maxMapped), Output: min(l.MaxMemory, maxMapped),
		Memory: min(l.MaxMemory, maxMapped) + helperSlack, Setup: l})
}

// HelperTasks is what a helper process does for a medium. The packages of the media have them: image.HelperTasks.
type HelperTasks struct {
	tasks //nolint:unused // package isolated finds it
}

type tasks = helper.TasksHolder[Medium, *Decoder] //nolint:unused // embedded above
