package webp

import (
	"fmt"
	"unsafe"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/invalid"
)

// DefaultMaxMemory is the default limit for the memory of an image, in bytes.
const DefaultMaxMemory = 2 << 30

// Options are the destination and the limits of a Decode call. Set Sink or Planes, except for a frame that is only
// composed.
type Options struct {
	// Sink is a row sink of cbridge/kernel (C memory), made for the image's width and height and Channels. It determines
	// the wanted rows.
	Sink unsafe.Pointer
	// Channels is 3 (as is 0) for RGB, or 4 for RGBA. Frames of an animation are RGBA.
	Channels int

	// Planes is a planes sink of cbridge/kernel, made for chroma that is halved in both directions. It requires a lossy
	// image; alpha is dropped.
	Planes unsafe.Pointer

	// Accept is the least Report.Fraction with which a damaged image is accepted, in [0, 1]. 0 means that none is
	// accepted.
	Accept float64

	// MaxMemory limits Header.Memory, in bytes. 0 means DefaultMaxMemory, negative no limit.
	MaxMemory int64
}

// validate returns all problems, joined.
func (o *Options) validate(h Header) error {
	var bad invalid.Options
	switch {
	case h.Animated && o.Planes != nil:
		bad.Addf("webp: Planes of an animation")
	case !h.Animated && (o.Sink == nil) == (o.Planes == nil):
		bad.Addf("webp: set one of Sink and Planes")
	case h.Lossless && o.Planes != nil:
		bad.Addf("webp: Planes of a lossless image")
	}
	if o.Channels != 0 && o.Channels != 3 && o.Channels != 4 || h.Animated && o.Channels == 3 {
		bad.Addf("webp: Channels %d", o.Channels)
	}
	if !(o.Accept >= 0 && o.Accept <= 1) {
		bad.Addf("webp: Accept %v is not in [0, 1]", o.Accept)
	}
	return bad.Err()
}

// bound refuses an image that needs more memory than the limit.
func (o *Options) bound(h Header) error {
	limit := o.MaxMemory
	if limit == 0 {
		limit = DefaultMaxMemory
	}
	if n := h.Memory(); limit > 0 && n > limit {
		text := fmt.Sprintf("%dx%d takes about %d bytes of memory, the limit is %d", h.Width, h.Height, n, limit)
		return &spool.Error{Op: "decode", Class: spool.ErrTooLarge, Text: text}
	}
	return nil
}
