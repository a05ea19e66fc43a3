package pixels

import (
	"math"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/internal/invalid"
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

// Validate adds each problem of the geometry, and of the color.
func (s *Spec) Validate(bad *invalid.Options) {
	bad.Add(s.Resize.Validate())
	if s.Color > decode.Index {
		bad.Value("Color", uint8(s.Color), "no such color")
	}
	if s.Color == decode.Index {
		s.validateIndex(bad)
	}
}

func (s *Spec) validateIndex(bad *invalid.Options) {
	if s.DType != spool.Uint8 {
		bad.Needs(invalid.With("Color", decode.Index), invalid.With("DType", spool.Uint8), "indices are uint8")
	}
	if r := s.Resize; r.Resizes() && !r.Filter.Picks() {
		bad.Excludes(invalid.With("Color", decode.Index), invalid.With("Filter", r.Filter),
			"indices cannot be averaged; take nearest, nearest-floor or nearest-exact")
	}
}

// ValidateSamples adds each problem of the layout, the type and its normalization.
func (s *Spec) ValidateSamples(bad *invalid.Options) {
	if s.Layout != spool.Flat && s.Layout != spool.HWC && s.Layout != spool.CHW {
		bad.Value("Layout", s.Layout, "must be HWC or CHW, of one image")
	}
	switch s.DType {
	case spool.Float16, spool.BFloat16, spool.Float32:
		s.validateScale(bad)
	case spool.Uint8, spool.Uint16:
		var given []spool.Option
		if len(s.Mean) > 0 {
			given = append(given, spool.Option{Name: "Mean"})
		}
		if len(s.Std) > 0 {
			given = append(given, spool.Option{Name: "Std"})
		}
		if given != nil {
			bad.Needs(given, invalid.With("DType", "float32, float16 or bfloat16"), "")
		}
	default:
		bad.Value("DType", s.DType, "must be uint8, uint16, float16, bfloat16 or float32")
	}
}

// validateScale adds each problem of the normalization of floats.
func (s *Spec) validateScale(bad *invalid.Options) {
	for _, p := range []struct {
		name   string
		values []float32
	}{{"Mean", s.Mean}, {"Std", s.Std}} {
		if n, channels := len(p.values), s.Color.Channels(); n > 1 && channels == 1 {
			bad.Value(p.name, p.values, "must have 1 value, for 1 channel")
		} else if n > 1 && n != channels {
			bad.Value(p.name, p.values, "must have 1 value, or %d, one for each channel", channels)
		}
		for _, v := range p.values {
			switch {
			case math.IsNaN(float64(v)) || math.IsInf(float64(v), 0):
				bad.Value(p.name, v, "must be a finite number")
			case p.name == "Std" && v == 0:
				bad.Value(p.name, v, "must not be 0: values are divided by it")
			}
		}
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

// ValidateCrops adds each problem of the crops of an image with the geometry s.
func ValidateCrops(bad *invalid.Options, c resize.Crops, s resize.Spec) {
	switch {
	case c > resize.TenCrops:
		bad.Value("Crops", uint8(c), "no such crops")
	case c != resize.OneCrop && s.CropWidth == 0:
		bad.Needs(invalid.With("Crops", c), invalid.Named("Resize.CropWidth", "Resize.CropHeight"), "the size of a crop")
	}
}
