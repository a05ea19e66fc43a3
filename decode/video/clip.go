package video

import (
	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/resize"
)

// Clip holds frames of a video. Its receiver owns it and releases it once.
type Clip struct {
	*spool.Buffer // NHWC or NCHW, [n h w c] or [n c h w]; for planes see Planes
	Report
}

// Desc describes the frames.
func (c *Clip) Desc() spool.Desc { return c.Buffer.Desc() }

// Report lists the frames of a clip, and the work to get them.
type Report struct {
	Desc   spool.Desc
	Frames []Frame // in the order of the clip
	Damage []decode.DamagedPacket
	Work   Work
	Stored Stored // of the first frame, for planes; see Spec.Planes

	// Region is the area of the upright frames that the clip shows, mirrored if FlipX or FlipY are set. See resize.Plan.
	Region       resize.Region
	FlipX, FlipY bool
}

// Frame is a frame of a clip. Times are in seconds of the container's clock, which need not begin at 0.
type Frame struct {
	Index    int // in presentation order
	PTS      float64
	Duration float64
	State    FrameState
}

// FrameState says how a frame of a clip relates to the video's.
type FrameState uint8

const (
	Whole    FrameState = iota
	Damaged             // decoded as far as possible
	Repeated            // replaced by the last whole frame
	Missing             // replaced by Spec.Fill
)

// Work counts what serving a plan cost.
type Work struct {
	Read    int // packets read from the file
	Decoded int // packets sent to the decoder
	Skipped int // of these, packets that the decoder was allowed to skip
	Seeks   int
}
