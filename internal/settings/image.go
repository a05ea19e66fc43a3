package settings

import (
	"errors"
	"strconv"
	"strings"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/resize"
)

var modes = map[string]resize.Mode{"stretch": resize.Stretch, "fit": resize.Fit, "cover": resize.Cover}

var filters = map[string]resize.Filter{"bilinear": resize.Bilinear, "bicubic": resize.Bicubic,
	"lanczos": resize.Lanczos, "box": resize.Box, "nearest": resize.Nearest,
	"nearest-floor": resize.NearestFloor, "nearest-exact": resize.NearestExact}

// Geometry defines the settings for the size of an image or frame, which is unchanged by default.
func (s *Set) Geometry(r *resize.Spec) {
	s.Size("size", "", "resize to this size, see --mode", &r.Width, &r.Height)
	Choice(s, "mode", &r.Mode, "stretch", "how to reach --size: stretch, fit pads, cover crops", modes)
	s.Number("resize-shorter", &r.Shorter, "", 1, "resize so that the shorter side is N")
	s.Number("max-size", &r.MaxSize, "", 1, "the most pixels of the longer side; without --resize-shorter, its length")
	s.Size("crop", "", "then crop the center to this size", &r.CropWidth, &r.CropHeight)
}

// sample defines the settings for the common size of a loader's samples.
func (s *Set) sample(r *resize.Spec) {
	s.Square("size", "224", "size of every sample, see --mode", &r.Width, &r.Height)
	Choice(s, "mode", &r.Mode, "stretch", "how to reach --size: stretch, fit pads, cover crops", modes)
	s.Number("resize-shorter", &r.Shorter, "", 1, "instead of --size: the shorter side is N; needs --crop")
	s.Number("max-size", &r.MaxSize, "", 1, "the most pixels of the longer side; without --resize-shorter, its length")
	s.Square("crop", "", "then crop the center to this size", &r.CropWidth, &r.CropHeight)
}

// sampled checks the settings of sample together with --train.
func (s *Set) sampled(r *resize.Spec, train bool) {
	if (r.Shorter > 0 || r.MaxSize > 0) && !s.Given("size") {
		r.Width, r.Height = 0, 0
	}
	if train && (s.Given("resize-shorter") || s.Given("max-size") || s.Given("crop")) {
		s.Refuse("--train excludes --resize-shorter, --max-size and --crop: it draws a crop and resizes that to --size")
	}
}

// Filter defines the setting for the resize filter.
func (s *Set) Filter(p *resize.Filter) {
	Choice(s, "filter", p, "bilinear", "resize filter; antialiased when shrinking", filters)
}

// Profile defines the setting for the profile.
func (s *Set) Profile(p *resize.Profile) {
	Choice(s, "profile", p, "exact", "whose pixels: exact gives torchvision's bytes, pillow Pillow's, fast close to exact",
		map[string]resize.Profile{"exact": resize.Exact, "pillow": resize.Pillow, "fast": resize.Fast})
}

// Isolate defines the setting for decoding in helper processes.
func (s *Set) Isolate(i *decode.Isolation) {
	def := "heic"
	if i.Helper = s.Helper; i.Helper != "" {
		def = "off"
	}
	Choice(s, "isolate", &i.Which, def, "what is decoded in helper processes, where a crash costs one sample: "+
		"heic, if there is a helper; off: none; auto: what large libraries of others decode, with video and audio; all",
		map[string]decode.Isolate{"heic": decode.IsolateHEIC, "off": decode.IsolateOff, "auto": decode.IsolateAuto,
			"all": decode.IsolateAll})
}

// JPEG defines the setting for the JPEG engine.
func (s *Set) JPEG(e *image.JPEGEngine) {
	Choice(s, "jpeg", e, "auto", "auto: our own engine, with libjpeg-turbo as its fallback; turbo: libjpeg-turbo only",
		map[string]image.JPEGEngine{"auto": image.JPEGAuto, "turbo": image.JPEGTurbo})
}

// accept defines the setting for the damage that is accepted.
func (s *Set) accept(spec *image.Spec) {
	s.Add("accept", "F", "refuse", "accept a damaged image if at least this fraction of it was read",
		func(text string) error {
			if text == "refuse" {
				spec.Accept = 0
				return nil
			}
			v, err := strconv.ParseFloat(text, 64)
			if err != nil || !(v > 0 && v <= 1) {
				return errors.New("must be a fraction above 0 and at most 1, or refuse")
			}
			spec.Accept = v
			return nil
		})
}

// Pixels holds the settings for pixels that are more than a field of the spec.
type Pixels struct {
	spec   *image.Spec
	keep   bool // the alpha channel
	orient bool
}

// crops defines the setting for several crops of an image, or of a clip.
func (s *Set) crops(p *resize.Crops) {
	Choice(s, "crops", p, "one", "several crops of the size --crop from each image or clip, which is decoded once. "+
		"five: corners and "+
		"center; ten: these, and those of the mirrored image",
		map[string]resize.Crops{"one": resize.OneCrop, "five": resize.FiveCrops, "ten": resize.TenCrops})
}

// ImagePixels defines the settings for the pixels of an image, without its size and its frame number.
func (s *Set) ImagePixels(spec *image.Spec) *Pixels {
	p := s.Pixels(spec)
	s.Add("alpha", "drop|keep|over:#rrggbb", "drop", "transparency: drop it, keep it, or blend over a color",
		func(text string) (err error) {
			p.keep, spec.Alpha = text == "keep", image.DropAlpha
			if color, over := strings.CutPrefix(text, "over:"); over {
				spec.Alpha = image.BlendAlpha
				spec.Over, err = parseColor(color)
			} else if text != "drop" && !p.keep {
				err = errors.New("must be drop, keep or over:#rrggbb")
			}
			return err
		})
	s.Boolean("icc", &spec.ICC, false, "convert to sRGB by the embedded profile")
	s.Add("allow", "LOADER,...", "", "loaders blocked by default: svg, exr, hdr, magick, pdf", func(text string) error {
		if err := spec.Allow.UnmarshalText([]byte(text)); err != nil {
			return errors.New("must be svg, exr, hdr, magick or pdf, or several of these, separated by commas")
		}
		return nil
	})
	s.accept(spec)
	return p
}

// Pixels defines the settings that images share with the frames of video.
func (s *Set) Pixels(spec *image.Spec) *Pixels {
	p := &Pixels{spec: spec}
	s.Filter(&spec.Resize.Filter)
	s.Profile(&spec.Resize.Profile)
	Choice(s, "color", &spec.Color, "rgb", "channels and their order; index: palette indexes, or gray values",
		map[string]decode.Color{"rgb": decode.RGB, "bgr": decode.BGR, "gray": decode.Gray, "rgba": decode.RGBA,
			"index": decode.Index})
	Choice(s, "dtype", &spec.DType, "uint8", "floats are from 0 to 1, then --mean and --std",
		map[string]spool.DType{"uint8": spool.Uint8, "uint16": spool.Uint16, "float16": spool.Float16,
			"bfloat16": spool.BFloat16, "float32": spool.Float32})
	for name, values := range map[string]*[]float32{"mean": &spec.Mean, "std": &spec.Std} {
		help := map[string]string{"mean": "subtracted from floats", "std": "divides floats"}[name]
		s.Add(name, "A,B,C", "", help+"; one value, or one for each channel", func(text string) (err error) {
			*values, err = parseFloats(text)
			return err
		})
	}
	s.ImageLayout(&spec.Layout)
	s.Boolean("orient", &p.orient, true, "apply the orientation in the file")
	s.Color("fill", "#808080", "color of the missing part of a damaged image", func(c decode.RGB8) { spec.Fill = &c })
	s.Color("pad-color", "#000000", "color around an image that does not fill its size",
		func(c decode.RGB8) { spec.Resize.PadColor = [3]uint8{c.R, c.G, c.B} })
	return p
}

// ImageLayout defines the order of an image's dimensions.
func (s *Set) ImageLayout(layout *spool.Layout) {
	Choice(s, "layout", layout, "nhwc", "order of the dimensions",
		map[string]spool.Layout{"nhwc": spool.HWC, "nchw": spool.CHW})
}

// Judge checks the settings together once all are read, and completes the spec.
func (p *Pixels) Judge(s *Set) {
	if p.keep && s.Given("color") && p.spec.Color != decode.RGBA {
		s.Refuse("--alpha=keep needs --color=rgba: leave out --color, or drop the alpha channel")
	}
	if p.keep {
		p.spec.Color = decode.RGBA
	}
	p.spec.Stored = !p.orient
	// The resize pads an image that is smaller than its crop. If one call sets both sizes, that is a mistake.
	r := &p.spec.Resize
	if beyond := r.Width > 0 && (r.CropWidth > r.Width || r.CropHeight > r.Height); beyond {
		s.Refuse("--crop=%dx%d exceeds --size=%dx%d: make the crop smaller, or the size larger", r.CropWidth, r.CropHeight,
			r.Width, r.Height)
	}
	if beyond := r.Shorter > 0 && min(r.CropWidth, r.CropHeight) > r.Shorter; beyond {
		s.Refuse("--crop=%dx%d exceeds --resize-shorter=%d: make the crop smaller, or the shorter side larger", r.CropWidth,
			r.CropHeight, r.Shorter)
	}
}
