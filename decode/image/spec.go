package image

import (
	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/augment"
	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/image/format"
	"github.com/spoolmedia/spool/decode/internal/pixels"
	"github.com/spoolmedia/spool/internal/enum"
	"github.com/spoolmedia/spool/internal/invalid"
	"github.com/spoolmedia/spool/resize"
)

// Alpha says what to do with transparency where the result has no alpha channel. RGBA keeps it.
type Alpha uint8

const (
	DropAlpha  Alpha = iota // the color channels unchanged, as in Pillow's convert("RGB")
	BlendAlpha              // over Spec.Over
)

var alphaNames = enum.Names{"drop", "blend"}

// String is "drop" or "blend".
func (a Alpha) String() string { return alphaNames.Of("Alpha", uint8(a)) }

// Spec describes the result of decoding an image. The zero value means: the image's size, uint8, HWC, RGB,
// orientation applied, damage refused.
type Spec struct {
	Resize resize.Spec // geometry; the zero value keeps the image's size

	// Draw, if not nil, gives each image its geometry, in place of Resize, from its upright size. It serves the random
	// crops and flips of training. It is called once for each image, or for each of several Crops, on the goroutine that
	// decodes it, and its error fails the image. Where Resize fixes the size of the result (see Sample), Draw must give
	// the same size.
	Draw func(width, height int) (resize.Spec, error) `json:"-"`

	// Adjust, if not nil, gives each image the steps that change its pixels, from the size of the result. They work on
	// bytes after the resize, before Mean and Std: see package augment. It is called once for each result, on the
	// goroutine that decodes it. It needs the colors RGB, BGR or Gray.
	Adjust func(width, height int) []augment.Step `json:"-"`

	// Crops, if not OneCrop, gives several crops of Resize.CropWidth x CropHeight: the result has a leading dimension.
	// The image is decoded once.
	Crops resize.Crops

	Color decode.Color
	Alpha Alpha
	Over  decode.RGB8 // background of BlendAlpha

	// Frame is the frame of an animation, or the page, from 0.
	Frame int
	// ICC converts to sRGB from the image's color profile, if it has one, with perceptual intent as in Pillow's
	// ImageCms.profileToProfile. This includes CMYK, which is else converted by a plain formula.
	ICC bool
	// Allow are loaders that are blocked by default.
	Allow Loaders

	// DType is Uint8, Uint16, Float16, BFloat16 or Float32. From 16-bit samples, Uint8 is the high byte; from 8-bit
	// samples, Uint16 is 257 times the value. Floats are x/255, or x/65535 from 16-bit samples; Mean and Std then give
	// (x - Mean) / Std, rounded to the nearest value of the type.
	DType spool.DType
	// Mean and Std have one value, or one a channel. They need a float type.
	Mean, Std []float32
	// Layout is HWC or CHW; Flat means HWC. Rows have no gaps.
	Layout spool.Layout

	// Stored leaves the image as stored, without applying its orientation. The orientation of a WebP file is applied with
	// Profile Pillow only, since torchvision ignores it.
	Stored bool
	// Accept is the fraction of rows, in (0, 1], that must be readable for a damaged image to be accepted. The other rows
	// are Fill. 0 refuses damage.
	Accept float64
	// Fill is the color of pixels that could not be read. nil means #808080.
	Fill *decode.RGB8
}

// upright reports whether the orientation of images of a format is applied.
func (s *Spec) upright(f format.Format) bool {
	return !s.Stored && (f != format.WebP || s.Resize.Profile == resize.Pillow)
}

// Validate reports all problems of the spec, each a *spool.OptionError.
func (s Spec) Validate() error {
	var bad invalid.Options
	p := s.pixels()
	p.Validate(&bad)
	const noColors = "indices have no colors"
	if s.Color == decode.Index && s.ICC {
		bad.Excludes(invalid.With("Color", s.Color), invalid.Named("ICC"), noColors)
	}
	if s.Color == decode.Index && s.Alpha == BlendAlpha {
		bad.Excludes(invalid.With("Color", s.Color), invalid.With("Alpha", s.Alpha), noColors)
	}
	if s.Alpha > BlendAlpha {
		bad.Value("Alpha", uint8(s.Alpha), "no such policy")
	}
	if s.Alpha == BlendAlpha && s.Color == decode.RGBA {
		bad.Excludes(invalid.With("Alpha", s.Alpha), invalid.With("Color", s.Color),
			"blended pixels have no alpha channel")
	}
	p.ValidateSamples(&bad)
	s.Crops.Validate(&bad, s.Resize)
	if s.Adjust != nil {
		pixels.ValidateAdjust(&bad, s.Color)
	}
	if s.Frame < 0 {
		bad.Value("Frame", s.Frame, "must not be negative")
	}
	if s.Allow >= AllowMagick<<1 {
		bad.Value("Allow", uint8(s.Allow), "no such loaders")
	}
	if !(s.Accept >= 0 && s.Accept <= 1) {
		bad.Value("Accept", s.Accept, "must be a fraction from 0 to 1")
	}
	return bad.Err()
}

// pixels is the part of the spec that the kernels take.
func (s Spec) pixels() pixels.Spec {
	return pixels.Spec{Resize: s.Resize, Color: s.Color, Over: s.Over, DType: s.DType, Mean: s.Mean, Std: s.Std,
		Layout: s.Layout, Fill: s.Fill}
}

// ofIndices is the spec for an image whose gray levels are its indices. Pillow's profile keeps the index of transparent
// pixels; torchvision's would replace it by the background.
func (s Spec) ofIndices() Spec {
	if s.Color == decode.Index {
		s.Color, s.Resize.Profile = decode.Gray, resize.Pillow
	}
	return s
}

// Sample describes the result where the spec alone determines its size, as needed for a batch. It reports false when
// the size depends on the image.
func (s Spec) Sample() (spool.Desc, bool) {
	p := s.pixels()
	d, ok := p.Sample()
	if ok && s.Crops != resize.OneCrop {
		d = several(s.Crops.Len(), d)
	}
	return d, ok
}

// plain is the spec of the pixels that Adjust changes.
func (s Spec) plain() Spec {
	p := s.pixels().Plain()
	s.Color, s.DType, s.Mean, s.Std, s.Layout = p.Color, p.DType, nil, nil, p.Layout
	return s
}

// several describes n results of one description.
func several(n int, d spool.Desc) spool.Desc {
	d.Shape = append(spool.Shape{n}, d.Shape...)
	d.Layout = d.Layout.Batched()
	return d
}

// bits is 16 where a lane should push 16 bits a sample: for images of more than 8 bits, except for uint8 results, which
// take the high byte.
func (s Spec) bits(i Info) int {
	if i.Bits > 8 && s.DType != spool.Uint8 {
		return 16
	}
	return 8
}

// intake is that of a lane that drops alpha and repeats gray by itself. gray reports whether it can push one channel.
func (s Spec) intake(i Info, gray bool) pixels.Intake {
	in := pixels.Intake{Channels: 3, Bits: s.bits(i), Gray: s.Color == decode.Gray}
	switch {
	case i.Alpha && s.Alpha == BlendAlpha:
		in.Channels, in.Alpha = 4, kernel.Blend
	case i.Alpha && s.Color == decode.RGBA:
		in.Channels = 4
	case gray:
		in.Channels, in.Gray = 1, false
	}
	return in
}

// converts reports whether rows are converted from the image's color profile. A lane must not mix channels then: the
// profile is for the stored channels.
func (s Spec) converts(i Info) bool { return s.ICC && i.icc != nil }

// fill is the color of pixels that could not be read.
func (s Spec) fill() [3]uint8 {
	p := s.pixels()
	return p.Missing()
}
