package image

import (
	"github.com/spoolmedia/spool/decode/image/format"
	"github.com/spoolmedia/spool/decode/internal/pixels"
)

// Info is the contents of an image's header.
type Info struct {
	Format   format.Format
	Frame    int  // frame or page of the file, from 0
	Frames   int  // frames or pages in the file; 0 for an animation whose frames are not counted
	Animated bool // frames build on each other and have one size; pages need not
	Width    int  // as stored, before orientation
	Height   int
	// as stored: 1 gray, 2 gray and alpha, 3 color, 4 with alpha or CMYK, rarely more; a palette counts as its colors
	Channels    int
	Bits        int  // per channel
	Alpha       bool // has transparency
	Orientation int  // EXIF value 1 to 8; 1 is upright

	inks   bool   // stored as CMYK; the lane pushes inks where rows.inks is set
	icc    []byte // embedded color profile, for the samples that intake describes; nil without a profile
	memory int64  // memory that the lane's library takes to decode, besides the rows
	own    any    // what the lane keeps from header for intake and decode
}

// Detached returns the exported fields only. The others refer to the bytes of the file, which were lent or are
// released.
func (i Info) Detached() Info {
	i.inks, i.icc, i.memory, i.own = false, nil, 0, nil
	return i
}

// Oriented is the size after the orientation is applied.
func (i Info) Oriented() (width, height int) {
	return pixels.Oriented(i.Width, i.Height, i.Orientation)
}
