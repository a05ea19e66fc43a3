package pixels

import (
	"fmt"
	"math"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/resize"
)

// Spec is the part of a spec that images and frames of video have in common.
type Spec struct {
	Resize    resize.Spec
	Color     decode.Color
	Over      decode.RGB8 // background of blended alpha
	DType     spool.DType
	Mean, Std []float32
	Layout    spool.Layout
	Fill      *decode.RGB8
}

// Validate reports each problem of the geometry, and of the color.
func (s *Spec) Validate(report func(error)) {
	bad := func(format string, args ...any) {
		report(fmt.Errorf("%w: "+format, append([]any{spool.ErrOptions}, args...)...))
	}
	if err := s.Resize.Validate(); err != nil {
		report(err)
	}
	if s.Color > decode.Index {
		bad("color %d", s.Color)
	}
	if s.Color == decode.Index {
		s.validateIndex(bad)
	}
}

func (s *Spec) validateIndex(bad func(format string, args ...any)) {
	if s.DType != spool.Uint8 {
		bad("indices are uint8, and not %v", s.DType)
	}
	if r := s.Resize; (r.Width != 0 || r.Shorter != 0) && !r.Filter.Picks() {
		bad("indices cannot be averaged by %v: take nearest, nearest-floor or nearest-exact", r.Filter)
	}
}

// ValidateSamples reports each problem of the layout, the type and its normalization.
func (s *Spec) ValidateSamples(report func(error)) {
	bad := func(format string, args ...any) {
		report(fmt.Errorf("%w: "+format, append([]any{spool.ErrOptions}, args...)...))
	}
	if s.Layout != spool.Flat && s.Layout != spool.HWC && s.Layout != spool.CHW {
		bad("layout %v of one image", s.Layout)
	}
	switch s.DType {
	case spool.Float16, spool.Float32:
		for _, p := range []struct {
			name   string
			values []float32
		}{{"mean", s.Mean}, {"std", s.Std}} {
			if n := len(p.values); n > 1 && n != s.Color.Channels() {
				bad("%s has %d values for %d channels", p.name, n, s.Color.Channels())
			}
			for _, v := range p.values {
				if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) || p.name == "std" && v == 0 {
					bad("%s of %v", p.name, v)
				}
			}
		}
	case spool.Uint8, spool.Uint16:
		if len(s.Mean)+len(s.Std) > 0 {
			bad("mean and std need a float type")
		}
	default:
		bad("pixels of type %v", s.DType)
	}
}

// Describe describes a result of a size.
func (s *Spec) Describe(width, height int) spool.Desc {
	c := s.Color.Channels()
	if s.Layout == spool.CHW {
		return spool.Desc{Shape: spool.Shape{c, height, width}, DType: s.DType, Layout: spool.CHW}
	}
	return spool.Desc{Shape: spool.Shape{height, width, c}, DType: s.DType, Layout: spool.HWC}
}

// Sample describes the result if the spec alone decides its size.
func (s *Spec) Sample() (spool.Desc, bool) {
	w, h, ok := s.Resize.Size()
	if !ok {
		return spool.Desc{}, false
	}
	return s.Describe(w, h), true
}

// Missing is the color of pixels that could not be read.
func (s *Spec) Missing() [3]uint8 {
	if s.Fill == nil {
		return [3]uint8{0x80, 0x80, 0x80}
	}
	return [3]uint8{s.Fill.R, s.Fill.G, s.Fill.B}
}
