package source

import (
	"context"
	"fmt"

	"github.com/spoolmedia/spool"
)

// Source is an ordered list of samples that can be opened. Implementations are safe for concurrent use; their length
// and items never change. Item, Open and similar methods panic outside [0, Len()), as indexing does.
//
// A source of remote samples has the method of Placed, as a Listing does. Loaders open and read many of its samples at
// a time, since each takes a network round trip.
type Source interface {
	Len() int
	// Item describes sample i. It does no I/O.
	Item(i int) Item
	// Open opens sample i. The caller closes the object.
	Open(ctx context.Context, i int) (spool.Object, error)
	// Classes returns the names of labels 0, 1, 2 and so on; nil if labels have no names. Callers must not change the
	// slice.
	Classes() []string
}

// Placed is a Source that knows whether its samples are remote.
type Placed interface {
	Source
	// Remote reports whether opening or reading a sample is a request to another machine.
	Remote() bool
}

// IsRemote reports whether the samples of a source are remote. Those of a source that is not Placed are local.
func IsRemote(src Source) bool {
	p, ok := src.(Placed)
	return ok && p.Remote()
}

// Listed is a Source that was listed at once: a Listing, or Records, which document the methods.
type Listed interface {
	Placed
	Notices() []string
	Skipped() Skipped
	Counts() []int
	Selection() string
}

// Segmented is a Source whose samples may be parts of files. Loaders of video, audio and records ask for these parts.
type Segmented interface {
	Source
	// Segment returns the part of its file that sample i is, or nil if it is the whole file. It is called before Open.
	Segment(ctx context.Context, i int) (*Segment, error)
}

// Segment is a part of a video or of audio.
type Segment struct {
	// Start and End are the window [Start, End) in seconds: of the file's clock for video, and from the first sample on
	// for audio. They are infinite if the segment begins or ends with the file.
	Start, End float64
	Stream     *int // index in the file; nil: as the loader's options say
}

// String returns the segment as text, which differs for different segments.
func (s *Segment) String() string {
	text := fmt.Sprintf("[%v, %v)", s.Start, s.End)
	if s.Stream != nil {
		text += fmt.Sprintf(" of stream %d", *s.Stream)
	}
	return text
}

// Item describes a sample that has not been opened.
type Item struct {
	ID    int64  // position in the source
	Name  string // as the user would write it, without passwords and signatures of URLs: see spool.Redacted
	Label int64  // class, -1 without
	Key   string // the sample's name in the data set: a manifest's column, or the name of a shard's sample; empty without
}
