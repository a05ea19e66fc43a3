package icc

import (
	"errors"
	"fmt"

	"github.com/spoolmedia/spool"
)

// Color is what the samples of a picture are.
type Color uint8

// The kinds of colour. The order is icc.h's.
const (
	Gray Color = iota // in rows of 1 channel, or repeated in the first three of 3 or 4
	RGB               // in rows of 3 channels or, with opacity, 4
	CMYK              // in rows of 4 channels, 255 being full ink; the next sink takes RGB
	colors
)

// The default limits, far above what scanners, printers and cameras embed.
const (
	MaxProfile = 16 << 20 // bytes of a profile; CMYK ones of printers have up to 3 MB
	MaxMemory  = 64 << 20 // bytes that lcms may take for a transform
)

// Options say what the rows are. The width, channels and samples have to be those that the next sink
// was made for, but for CMYK, of which it takes 3 channels.
type Options struct {
	Color    Color
	Channels int
	Width    int
	Bits     int // of a sample: 0 or 8, or 16 in the machine's byte order

	MaxProfile int   // bytes of a profile; 0: the constant of this name
	MaxMemory  int64 // bytes that lcms may take for its transform; 0: the constant of this name
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

// widest is far beyond any picture, and keeps the size of a row from overflowing.
const widest = 1 << 28

func (o *Options) validate() error {
	var problems []error
	if o.Width < 1 || o.Width > widest {
		problems = append(problems, fmt.Errorf("%w: icc: rows of %d pixels", spool.ErrOptions, o.Width))
	}
	if o.Bits != 8 && o.Bits != 16 {
		problems = append(problems, fmt.Errorf("%w: icc: samples of %d bits; there are 8 and 16", spool.ErrOptions, o.Bits))
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
		problems = append(problems, fmt.Errorf("%w: icc: %d channels of colour %d", spool.ErrOptions, o.Channels, o.Color))
	}
	if o.MaxProfile < 0 || o.MaxMemory < 0 {
		problems = append(problems, fmt.Errorf("%w: icc: a limit below zero", spool.ErrOptions))
	}
	return errors.Join(problems...)
}
