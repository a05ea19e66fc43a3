package decode

import (
	"errors"
	"fmt"
	"math"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode/image/format"
	"github.com/spoolmedia/spool/resize"
)

// Color is the order and number of the result's channels.
type Color uint8

const (
	RGB  Color = iota // 3 channels; gray is repeated in each
	BGR               // 3 channels
	Gray              // 1 channel: luma of JPEG, else 0.299 R + 0.587 G + 0.114 B in Pillow's integer arithmetic
	RGBA              // 4 channels; an image without alpha is opaque

	// Index is 1 channel. For an image with a palette (PNG, GIF, BMP, TIFF) it holds the indices, equal to
	// np.array(Image.open(file)) for Pillow's mode P. For a gray image of up to 8 bits it holds the samples. It is meant
	// for label masks. Other images are ErrUnsupported, and so are later frames of an animation. Index needs Uint8, and
	// a filter without averaging where the size changes.
	Index
)

// Channels is the number of channels.
func (c Color) Channels() int {
	switch c {
	case Gray, Index:
		return 1
	case RGBA:
		return 4
	}
	return 3
}

// Alpha says what to do with transparency where the result has no alpha channel. RGBA keeps it.
type Alpha uint8

const (
	DropAlpha  Alpha = iota // the color channels unchanged, as in Pillow's convert("RGB")
	BlendAlpha              // over ImageSpec.Over
)

// RGB8 is a color of 8 bits a channel.
type RGB8 struct{ R, G, B uint8 }

// ImageSpec describes the result of decoding an image. The zero value means: the image's size, uint8, HWC, RGB,
// orientation applied, damage refused.
type ImageSpec struct {
	Resize resize.Spec // geometry; the zero value keeps the image's size

	// Draw, if not nil, gives each image its geometry, in place of Resize, from its upright size. It serves the random
	// crops and flips of training. It is called once for each image, on the goroutine that decodes it, and its error fails
	// the image. Where Resize fixes the size of the result (see Sample), Draw must give the same size.
	Draw func(width, height int) (resize.Spec, error)

	Color Color
	Alpha Alpha
	Over  RGB8 // background of BlendAlpha

	// Frame is the frame of an animation, or the page, from 0.
	Frame int
	// ICC converts to sRGB from the image's color profile, if it has one, with perceptual intent as in Pillow's
	// ImageCms.profileToProfile. This includes CMYK, which is else converted by a plain formula.
	ICC bool
	// Allow are loaders that are blocked by default.
	Allow Loaders

	// DType is Uint8, Uint16, Float16 or Float32. From 16-bit samples, Uint8 is the high byte; from 8-bit samples, Uint16
	// is 257 times the value. Floats are x/255, or x/65535 from 16-bit samples; Mean and Std then give (x - Mean) / Std.
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
	Fill *RGB8
}

// upright reports whether the orientation of images of a format is applied.
func (s *ImageSpec) upright(f format.Format) bool {
	return !s.Stored && (f != format.WebP || s.Resize.Profile == resize.Pillow)
}

// Validate reports all problems of the spec, as ErrOptions.
func (s ImageSpec) Validate() error {
	var problems []error
	bad := func(format string, args ...any) {
		problems = append(problems, fmt.Errorf("%w: "+format, append([]any{spool.ErrOptions}, args...)...))
	}
	if err := s.Resize.Validate(); err != nil {
		problems = append(problems, err)
	}
	if s.Color > Index {
		bad("color %d", s.Color)
	}
	if s.Color == Index {
		s.validateIndex(bad)
	}
	if s.Alpha > BlendAlpha {
		bad("alpha policy %d", s.Alpha)
	}
	if s.Alpha == BlendAlpha && s.Color == RGBA {
		bad("alpha cannot be kept and blended at once")
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
	if s.Frame < 0 {
		bad("frame %d is negative", s.Frame)
	}
	if s.Allow >= AllowMagick<<1 {
		bad("unknown loaders %#x", uint8(s.Allow))
	}
	if !(s.Accept >= 0 && s.Accept <= 1) {
		bad("accept %v is not a fraction", s.Accept)
	}
	return errors.Join(problems...)
}

// validateIndex reports options that would change indices.
func (s ImageSpec) validateIndex(bad func(format string, args ...any)) {
	if s.DType != spool.Uint8 {
		bad("indices are uint8, and not %v", s.DType)
	}
	if s.ICC || s.Alpha == BlendAlpha {
		bad("indices have no colors to convert or blend")
	}
	if r := s.Resize; (r.Width != 0 || r.Shorter != 0) && !r.Filter.Picks() {
		bad("indices cannot be averaged by %v: take nearest, nearest-floor or nearest-exact", r.Filter)
	}
}

// ofIndices is the spec for an image whose gray levels are its indices. Pillow's profile keeps the index of transparent
// pixels; torchvision's would replace it by the background.
func (s ImageSpec) ofIndices() ImageSpec {
	if s.Color == Index {
		s.Color, s.Resize.Profile = Gray, resize.Pillow
	}
	return s
}

// desc describes a result of w x h.
func (s ImageSpec) desc(w, h int) spool.Desc {
	c := s.Color.Channels()
	if s.Layout == spool.CHW {
		return spool.Desc{Shape: spool.Shape{c, h, w}, DType: s.DType, Layout: spool.CHW}
	}
	return spool.Desc{Shape: spool.Shape{h, w, c}, DType: s.DType, Layout: spool.HWC}
}

// Sample describes the result where the spec alone determines its size, as needed for a batch. It reports false when
// the size depends on the image.
func (s ImageSpec) Sample() (spool.Desc, bool) {
	w, h, ok := s.Resize.Size()
	if !ok {
		return spool.Desc{}, false
	}
	return s.desc(w, h), true
}

// bits is 16 where a lane should push 16 bits a sample: for images of more than 8 bits, except for uint8 results, which
// take the high byte.
func (s ImageSpec) bits(i ImageInfo) int {
	if i.Bits > 8 && s.DType != spool.Uint8 {
		return 16
	}
	return 8
}

// converts reports whether rows are converted from the image's color profile. A lane must not mix channels then: the
// profile is for the stored channels.
func (s ImageSpec) converts(i ImageInfo) bool { return s.ICC && i.icc != nil }

// fill is the color of pixels that could not be read.
func (s ImageSpec) fill() [3]uint8 {
	if s.Fill == nil {
		return [3]uint8{0x80, 0x80, 0x80}
	}
	return [3]uint8{s.Fill.R, s.Fill.G, s.Fill.B}
}
