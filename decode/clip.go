package decode

import (
	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/resize"
)

// Clip is frames of a video. It is owned by who received it, and released once.
type Clip struct {
	*spool.Buffer // NHWC or NCHW, [n h w c] or [n c h w]; of planes see Planes
	ClipReport
}

// Desc describes the frames.
func (c *Clip) Desc() spool.Desc { return c.Buffer.Desc() }

// ClipReport says which frames a clip has, and what it took to get them.
type ClipReport struct {
	Desc   spool.Desc
	Frames []Frame // in the order of the clip
	Damage []DamagedPacket
	Work   Work
	Stored Stored // of the first frame of planes; see VideoSpec.Planes

	// Region is the part of the upright frames that the clip shows, mirrored where FlipX or FlipY say so. See resize.Plan.
	Region       resize.Region
	FlipX, FlipY bool
}

// Frame is a frame of a clip. Times are in seconds, as the container has them: they need not begin at 0.
type Frame struct {
	Index    int // in the order of presentation
	PTS      float64
	Duration float64
	State    FrameState
}

// FrameState says whether a frame is what the video has.
type FrameState uint8

const (
	Whole    FrameState = iota
	Damaged             // as far as the decoder could make it
	Repeated            // the last whole frame in its place
	Missing             // VideoSpec.Fill
)

// DamagedPacket is damage that a decoder or demuxer reported.
type DamagedPacket struct {
	PTS   float64 // in seconds; NaN where the packet has none
	Class spool.Class
	Text  string
}

// Work is what a plan took.
type Work struct {
	Read    int // packets read from the file
	Decoded int // packets given to the decoder
	Skipped int // of these, what the decoder was told to leave out
	Seeks   int
}
