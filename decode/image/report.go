package image

import (
	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/resize"
)

// Report is the outcome of decoding an image.
type Report struct {
	Info     Info
	Desc     spool.Desc // of the result
	Damaged  bool       // damage was accepted: the rest is Spec.Fill
	Fraction float64    // of the image that was read; 1 without damage
	Warnings int        // oddities that the library tolerated
	Warning  string     // the first of these
	Trace    Trace

	// Region is the area of the upright image that the result shows, mirrored if FlipX or FlipY are set. It maps the
	// boxes and key points of a detector. See resize.Plan.
	Region       resize.Region
	FlipX, FlipY bool
}

// Trace describes how an image was decoded, for diagnosis.
type Trace struct {
	Lane          string // lane that decoded it: "jpeg", "png", "vips", ...
	Engine        string // within the lane, if it has several: "own", or the library: "turbo", "libpng"
	Reason        string // why the own engine declined (baseline.Reason); empty if it did not, or was not asked
	Scale         Scale  // of the planes, if profile fast resized these; else zero
	Width, Height int    // of the rows from the lane: less than the image's if profile fast shrank it
	Scratch       int64  // bytes of working memory, without the result and the library's memory
	Profile       int64  // bytes for the conversion to sRGB; 0 without one
}
