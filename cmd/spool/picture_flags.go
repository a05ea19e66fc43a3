package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/resize"
)

var modes = map[string]resize.Mode{"stretch": resize.Stretch, "fit": resize.Fit, "cover": resize.Cover}

var filters = map[string]resize.Filter{"bilinear": resize.Bilinear, "bicubic": resize.Bicubic,
	"lanczos": resize.Lanczos, "box": resize.Box, "nearest": resize.Nearest}

// size defines a flag for a width and a height. A wrong one leaves them alone, so that it is told once.
func (f *flags) size(name, kind, def, help string, width, height *int, parse func(string) (w, h int, err error)) {
	f.add(name, kind, def, help, func(s string) error {
		w, h, err := parse(s)
		if err == nil {
			*width, *height = w, h
		}
		return err
	})
}

// fits refuses batches, of samples of so many pictures, that are larger than the machine's memory.
func (f *flags) fits(batch, frames int, s decode.ImageSpec) {
	w, h, _ := s.Resize.Size()
	size := fmt.Sprintf("--size %dx%d", w, h)
	if frames > 1 {
		size = fmt.Sprintf("--frames %d ", frames) + size
	}
	f.holds(batch, float64(frames)*float64(w)*float64(h)*float64(s.Color.Channels()*s.DType.Size()), size)
}

// holds refuses a batch of samples of so many bytes, which size says in flags, if this machine does not hold it.
func (f *flags) holds(batch int, sample float64, size string) {
	need := float64(batch) * sample
	if memory := machineMemory(); memory > 0 && need > float64(memory) {
		f.refuse("--batch %d %s: a batch of %.1f GiB, this machine has %.1f", batch, size, need/(1<<30), float64(memory)/(1<<30))
	}
}

var profiles = map[string]resize.Profile{"exact": resize.Exact, "pillow": resize.Pillow, "fast": resize.Fast}

// profile is whose pixels they are to be.
func (f *flags) profile(p *resize.Profile) {
	choice(f, "profile", p, "exact", "whose pixels: exact gives torchvision's bytes, pillow Pillow's, fast close to exact", profiles)
}

// jpeg defines the flag for what decodes JPEG pictures.
func (f *flags) jpeg(e *decode.JPEGEngine) {
	choice(f, "jpeg", e, "auto", "auto: our own engine, and libjpeg-turbo for what that leaves; turbo: libjpeg-turbo only",
		map[string]decode.JPEGEngine{"auto": decode.JPEGAuto, "turbo": decode.JPEGTurbo})
}

// limits defines the flags that bound what one input may cost.
func (f *flags) limits(l *decode.Limits) {
	for _, x := range []struct {
		name, def, help string
		field           *int64
	}{
		{"max-pixels", "178956970", "largest picture in pixels, 0 for no limit", &l.MaxPixels},
		{"max-bytes", "1GiB", "largest file, 0 for no limit", &l.MaxBytes},
		{"max-frames", "4096", "most frames of an animated picture, 0 for no limit", &l.MaxFrames},
		{"max-memory", "2GiB", "most memory for one decode, 0 for no limit", &l.MaxMemory},
	} {
		f.add(x.name, "N", x.def, x.help, func(s string) (err error) {
			*x.field, err = parseLimit(s)
			return err
		})
	}
}

// accept defines the flag that says which damage is taken.
func (f *flags) accept(s *decode.ImageSpec) {
	f.add("accept", "F", "refuse", "take a damaged picture if at least this fraction of it was read", func(text string) error {
		if text == "refuse" {
			s.Accept = 0
			return nil
		}
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || !(v > 0 && v <= 1) {
			return errors.New("a fraction above 0, at most 1; or refuse")
		}
		s.Accept = v
		return nil
	})
}

func (f *flags) color(name, def, help string, take func(decode.RGB8)) {
	f.add(name, "#rrggbb", def, help, func(s string) error {
		c, err := parseColor(s)
		if err == nil {
			take(c)
		}
		return err
	})
}

// picture holds what its flags say that takes more than a field of the spec.
type picture struct {
	keep   bool // the alpha channel
	orient bool
}

// picture defines the flags for what a picture becomes, but for its size and which frame it is.
func (f *flags) picture(s *decode.ImageSpec) *picture {
	p := f.pixels(s)
	f.add("alpha", "drop|keep|over:#rrggbb", "drop", "what becomes of transparency", func(text string) (err error) {
		p.keep, s.Alpha = text == "keep", decode.DropAlpha
		if color, over := strings.CutPrefix(text, "over:"); over {
			s.Alpha = decode.BlendAlpha
			s.Over, err = parseColor(color)
		} else if text != "drop" && !p.keep {
			err = errors.New("one of drop, keep, over:#rrggbb")
		}
		return err
	})
	f.boolean("icc", &s.ICC, false, "convert to sRGB by the embedded profile")
	f.add("allow", "LOADER,...", "", "loaders blocked by default: svg, exr, hdr, magick, pdf", func(text string) error { return s.Allow.UnmarshalText([]byte(text)) })
	f.accept(s)
	return p
}

// pixels defines those that pictures share with the frames of video.
func (f *flags) pixels(s *decode.ImageSpec) *picture {
	p := new(picture)
	choice(f, "filter", &s.Resize.Filter, "bilinear", "what is resized with; antialiased when shrinking", filters)
	f.profile(&s.Resize.Profile)
	choice(f, "color", &s.Color, "rgb", "channels and their order",
		map[string]decode.Color{"rgb": decode.RGB, "bgr": decode.BGR, "gray": decode.Gray, "rgba": decode.RGBA})
	choice(f, "dtype", &s.DType, "uint8", "floats are from 0 to 1, then --mean and --std",
		map[string]spool.DType{"uint8": spool.Uint8, "uint16": spool.Uint16, "float16": spool.Float16, "float32": spool.Float32})
	for name, values := range map[string]*[]float32{"mean": &s.Mean, "std": &s.Std} {
		help := map[string]string{"mean": "subtracted from floats", "std": "divides floats"}[name]
		f.add(name, "A,B,C", "", help+"; one value, or one a channel", func(s string) (err error) {
			*values, err = parseFloats(s)
			return err
		})
	}
	choice(f, "layout", &s.Layout, "nhwc", "order of the dimensions", map[string]spool.Layout{"nhwc": spool.HWC, "nchw": spool.CHW})
	f.boolean("orient", &p.orient, true, "turn it upright, as the file asks for")
	f.color("fill", "#808080", "what the missing part of a damaged picture is filled with", func(c decode.RGB8) { s.Fill = &c })
	f.color("pad-color", "#000000", "what is around a picture that does not fill its size", func(c decode.RGB8) { s.Resize.PadColor = [3]uint8{c.R, c.G, c.B} })
	return p
}

// apply judges the flags together, and completes the spec.
func (p *picture) apply(f *flags, s *decode.ImageSpec) {
	if p.keep && f.command.Flags().Changed("color") && s.Color != decode.RGBA {
		f.refuse("--alpha keep needs --color rgba")
	}
	if p.keep {
		s.Color = decode.RGBA
	}
	s.Stored = !p.orient
	// The resize alone pads what is too small for a crop: of sizes that are asked for in one call, that is a mistake.
	r := &s.Resize
	if beyond := r.Width > 0 && (r.CropWidth > r.Width || r.CropHeight > r.Height); beyond {
		f.refuse("--crop %dx%d lies outside of --size %dx%d", r.CropWidth, r.CropHeight, r.Width, r.Height)
	}
	if beyond := r.Shorter > 0 && min(r.CropWidth, r.CropHeight) > r.Shorter; beyond {
		f.refuse("--crop %dx%d lies outside of --resize-shorter %d", r.CropWidth, r.CropHeight, r.Shorter)
	}
}
