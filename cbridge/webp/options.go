package webp

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/spoolmedia/spool"
)

// DefaultMaxMemory bounds what a picture may take, in bytes.
const DefaultMaxMemory = 2 << 30

// Options say what to decode to where. Sink or Planes is set, except for a frame that is only composed.
type Options struct {
	// Sink is a row sink of cbridge/kernel (C memory), made for the picture's width and height and Channels.
	// It names the rows it wants.
	Sink unsafe.Pointer
	// Channels is 3 for RGB, which 0 means as well, or 4 for RGBA. Frames of an animation are RGBA.
	Channels int

	// Planes is a planes sink of cbridge/kernel, made for chroma that is halved in both directions. Only
	// for lossy pictures; alpha is dropped.
	Planes unsafe.Pointer

	// Accept is the least Report.Fraction with which a damaged picture is taken, in [0, 1]. 0 means that
	// none is.
	Accept float64

	// MaxMemory bounds Header.Memory, in bytes. 0 means DefaultMaxMemory, negative no bound.
	MaxMemory int64
}

// validate reports all that is wrong, joined.
func (o *Options) validate(h Header) error {
	var problems []error
	problem := func(format string, args ...any) {
		problems = append(problems, fmt.Errorf("%w: webp: "+format, append([]any{spool.ErrOptions}, args...)...))
	}
	switch {
	case h.Animated && o.Planes != nil:
		problem("Planes of an animation")
	case !h.Animated && (o.Sink == nil) == (o.Planes == nil):
		problem("one of Sink and Planes has to be set")
	case h.Lossless && o.Planes != nil:
		problem("Planes of a lossless picture")
	}
	if o.Channels != 0 && o.Channels != 3 && o.Channels != 4 || h.Animated && o.Channels == 3 {
		problem("Channels %d", o.Channels)
	}
	if !(o.Accept >= 0 && o.Accept <= 1) {
		problem("Accept %v is not in [0, 1]", o.Accept)
	}
	return errors.Join(problems...)
}

// bound refuses a picture that would take more memory than it may.
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
