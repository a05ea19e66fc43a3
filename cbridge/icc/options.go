package icc

import (
	"github.com/spoolmedia/spool/internal/invalid"
)

// Color is the color space of an image's samples.
type Color uint8

// The color spaces, in the order of icc.h.
const (
	Gray Color = iota // rows of 1 channel; or of 3 or 4, with the sample in the first three
	RGB               // rows of 3 channels, or 4 with alpha
	CMYK              // rows of 4 channels, 255 is full ink; the next sink takes RGB
	colors
)

// The default limits, far above the profiles of scanners, printers and cameras.
const (
	MaxProfile = 16 << 20 // bytes of a profile; printers' CMYK profiles have up to 3 MB
	MaxMemory  = 64 << 20 // bytes that lcms may allocate for a transform
)

// Options describe the rows. Width, channels and bits must equal those of the next sink, except for CMYK, where the
// next sink has 3 channels.
type Options struct {
	Color    Color
	Channels int
	Width    int
	Bits     int // of a sample: 0 or 8, or 16 in the machine's byte order

	MaxProfile int   // bytes of a profile; 0 means the constant MaxProfile
	MaxMemory  int64 // bytes that lcms may allocate for the transform; 0 means the constant MaxMemory
}

func (o *Options) setDefaults() {
	if o.Bits == 0 {
		o.Bits = 8
	}
	if o.MaxProfile == 0 {
		o.MaxProfile = MaxProfile
	}
	if o.MaxMemory == 0 {
		o.MaxMemory = MaxMemory
	}
}

// widest is larger than any image, and prevents overflow of the size of a row.
const widest = 1 << 28

func (o *Options) validate() error {
	var bad invalid.Options
	if o.Width < 1 || o.Width > widest {
		bad.Addf("icc: rows of %d pixels", o.Width)
	}
	if o.Bits != 8 && o.Bits != 16 {
		bad.Addf("icc: samples of %d bits; supported are 8 and 16", o.Bits)
	}
	fits := false
	switch o.Color {
	case Gray:
		fits = o.Channels == 1 || o.Channels == 3 || o.Channels == 4
	case RGB:
		fits = o.Channels == 3 || o.Channels == 4
	case CMYK:
		fits = o.Channels == 4
	}
	if !fits {
		bad.Addf("icc: %d channels of color %d", o.Channels, o.Color)
	}
	if o.MaxProfile < 0 || o.MaxMemory < 0 {
		bad.Addf("icc: a negative limit")
	}
	return bad.Err()
}
