package decode

import "github.com/spoolmedia/spool/cbridge/jpeg/baseline"

// ImageInfo is what a picture's header says.
type ImageInfo struct {
	Format      Format
	Frame       int  // which frame or page of the file this is, from 0
	Frames      int  // frames or pages in the file; 0 of an animation whose frames are not counted
	Animated    bool // the frames build on each other and have one size; pages need not
	Width       int  // as stored, before orientation
	Height      int
	Channels    int  // as stored: 1 gray, 2 gray and alpha, 3, 4 with alpha or CMYK, rarely more; a palette counts as its colours
	Bits        int  // a channel
	Alpha       bool // it has transparency
	Orientation int  // EXIF's 1 to 8; 1 is upright

	inks   bool   // stored as CMYK; a lane that says so pushes inks where rows.inks asks for them
	icc    []byte // the embedded profile, for the samples that intake says; nil when there is none
	memory int64  // what the lane's library takes to decode it, beside the rows
	own    any    // what the lane keeps from header for intake and decode

	left baseline.Reason // why our JPEG engine leaves it to libjpeg-turbo; Decoded: it is to be asked
}

// Oriented is the size after the orientation is applied.
func (i ImageInfo) Oriented() (width, height int) {
	if i.Orientation >= 5 {
		return i.Height, i.Width
	}
	return i.Width, i.Height
}
