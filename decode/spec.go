package decode

import (
	"errors"
	"fmt"
	"math"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/resize"
)

// Color is the order and number of the result's channels.
type Color uint8

const (
	RGB  Color = iota // 3 channels; a gray picture is repeated in each
	BGR               // 3 channels
	Gray              // 1 channel: of JPEG its luma, else 0.299 R + 0.587 G + 0.114 B in Pillow's integers
	RGBA              // 4 channels; a picture without alpha is opaque

	// Index is 1 channel: the indices of a picture with a palette (PNG, GIF, BMP, TIFF), as np.array(Image.open(file)) of
	// Pillow's mode P, and the samples of a gray picture of up to 8 bits. Others are ErrUnsupported, and so are further
	// frames of an animation. It takes Uint8, and a filter that picks where the size changes: masks of labels.
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

// Alpha says what becomes of transparency where the result has no alpha channel. RGBA keeps it.
type Alpha uint8

const (
	DropAlpha  Alpha = iota // the colour channels as they are, as Pillow's convert("RGB")
	BlendAlpha              // over ImageSpec.Over
)

// RGB8 is a colour of 8 bits a channel.
type RGB8 struct{ R, G, B uint8 }

// ImageSpec says what is wanted of a picture. The zero value is: own size, uint8, HWC, RGB,
// orientation applied, damage refused.
type ImageSpec struct {
	Resize resize.Spec // geometry; the zero value keeps the picture's size

	// Draw, if not nil, gives each picture its geometry, from its upright size and in place of Resize:
	// this is where the random crops and flips of training come in. It is called once a picture, on the
	// goroutine that decodes it, and its error fails the picture. Where Resize fixes the size of the
	// result (see Sample), Draw has to keep to it.
	Draw func(width, height int) (resize.Spec, error)

	Color Color
	Alpha Alpha
	Over  RGB8 // what BlendAlpha blends with

	// Frame is which frame of an animated picture, or which page, from 0.
	Frame int
	// ICC converts to sRGB by the profile that the picture brings, if it does, perceptually as Pillow's
	// ImageCms.profileToProfile. A JPEG in CMYK is sRGB already.
	ICC bool
	// Allow are loaders that are blocked otherwise.
	Allow Loaders

	// DType is Uint8, Uint16, Float16 or Float32. Of 16-bit samples Uint8 is the high byte; of 8-bit ones
	// Uint16 is 257 times the value. Floats are x/255, of 16-bit samples x/65535, and with Mean or Std
	// (x - Mean) / Std of that.
	DType spool.DType
	// Mean and Std have one value, or one a channel. Only for floats.
	Mean, Std []float32
	// Layout is HWC or CHW; Flat means HWC. Rows have no gaps.
	Layout spool.Layout

	// Stored leaves the picture as it is stored, without applying its orientation. That of a WebP file is applied with
	// Profile Pillow only: torchvision ignores it.
	Stored bool
	// Accept takes a damaged picture when at least this fraction of its rows could be read, in
	// (0, 1]; the rest is Fill. 0 refuses damage.
	Accept float64
	// Fill is the colour of what could not be read. nil means #808080.
	Fill *RGB8
}

// upright reports whether pictures of a format are turned as they say.
func (s *ImageSpec) upright(f Format) bool {
	return !s.Stored && (f != WebP || s.Resize.Profile == resize.Pillow)
}

// Validate reports all that is wrong with the spec, as ErrOptions.
func (s ImageSpec) Validate() error {
	var problems []error
	bad := func(format string, args ...any) {
		problems = append(problems, fmt.Errorf("%w: "+format, append([]any{spool.ErrOptions}, args...)...))
	}
	if err := s.Resize.Validate(); err != nil {
		problems = append(problems, err)
	}
	if s.Color > Index {
		bad("colour %d", s.Color)
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
		bad("layout %v of one picture", s.Layout)
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

// validateIndex refuses what would change indices.
func (s ImageSpec) validateIndex(bad func(format string, args ...any)) {
	if s.DType != spool.Uint8 {
		bad("indices are uint8, and not %v", s.DType)
	}
	if s.ICC || s.Alpha == BlendAlpha {
		bad("indices have no colours to convert or to blend")
	}
	if r := s.Resize; (r.Width != 0 || r.Shorter != 0) && !r.Filter.Picks() {
		bad("indices cannot be averaged by %v: take nearest, nearest-floor or nearest-exact", r.Filter)
	}
}

// ofIndices is the spec for a picture whose gray is its indices. Transparent pixels keep theirs under Pillow's rules, while
// torchvision's give them the background.
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

// Sample describes the result where the spec alone decides its size, as a batch needs it. It reports
// false when the size depends on the picture.
func (s ImageSpec) Sample() (spool.Desc, bool) {
	w, h, ok := s.Resize.Size()
	if !ok {
		return spool.Desc{}, false
	}
	return s.desc(w, h), true
}

// bits is 16 where a lane that can should push 16 bits a sample: of a picture that has more than 8,
// unless uint8 is wanted, which is the high byte.
func (s ImageSpec) bits(i ImageInfo) int {
	if i.Bits > 8 && s.DType != spool.Uint8 {
		return 16
	}
	return 8
}

// converts says whether the rows go through the picture's profile, so that a lane may not mix its
// channels: the profile is for those that are stored.
func (s ImageSpec) converts(i ImageInfo) bool { return s.ICC && i.icc != nil }

// fill is the colour of what could not be read.
func (s ImageSpec) fill() [3]uint8 {
	if s.Fill == nil {
		return [3]uint8{0x80, 0x80, 0x80}
	}
	return [3]uint8{s.Fill.R, s.Fill.G, s.Fill.B}
}
