package decode

import "github.com/spoolmedia/spool/cbridge/vips"

// ImageInfo is what a picture's header says.
type ImageInfo struct {
	Format      Format
	Width       int // as stored, before orientation
	Height      int
	Channels    int  // as stored: 1 gray, 2 gray and alpha, 3, 4 with alpha or CMYK, rarely more; a palette counts as its colours
	Bits        int  // a channel
	Alpha       bool // it has transparency
	Frames      int  // pictures or pages in the file; 0 of an animation whose frames are not counted
	Orientation int  // EXIF's 1 to 8; 1 is upright

	progressive bool        // JPEG: the library keeps the whole picture's coefficients
	vips        vips.Header // of the formats that libvips decodes
}

// Oriented is the size after the orientation is applied.
func (i ImageInfo) Oriented() (width, height int) {
	if i.Orientation >= 5 {
		return i.Height, i.Width
	}
	return i.Width, i.Height
}

// workingSet estimates the bytes that the library behind the lane takes while it decodes.
func (i ImageInfo) workingSet() int64 {
	switch {
	case laneOf(i.Format) == vipsLane{}:
		return i.vips.Memory()
	case i.progressive:
		return int64(i.Width) * int64(i.Height) * int64(i.Channels) * 2 // 16-bit coefficients
	}
	return 0
}
