package main

import (
	"errors"
	"strconv"
	"strings"

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

// fits refuses batches that are larger than the machine's memory.
func (f *flags) fits(batch int, size resize.Spec) {
	need := float64(batch) * float64(size.Width) * float64(size.Height) * 3
	if memory := machineMemory(); memory > 0 && need > float64(memory) {
		f.refuse("--batch %d --size %dx%d: a batch of %.1f GiB, this machine has %.1f", batch, size.Width, size.Height, need/(1<<30), float64(memory)/(1<<30))
	}
}

// profile is whose pixels they are to be. There is only one: torchvision's.
func (f *flags) profile(p *string) {
	choice(f, "profile", p, "exact", "whose pixels: exact gives torchvision's bytes", map[string]string{"exact": "exact"})
}

// limits defines the flags that bound what one input may cost. Animated pictures give their first frame,
// so that their number of frames costs nothing yet.
func (f *flags) limits(l *decode.Limits) {
	for _, x := range []struct {
		name, def, help string
		field           *int64
	}{
		{"max-pixels", "178956970", "largest picture in pixels, 0 for no limit", &l.MaxPixels},
		{"max-bytes", "1GiB", "largest file, 0 for no limit", &l.MaxBytes},
		{"max-frames", "4096", "most frames of an animated picture, 0 for no limit", new(int64)},
		{"max-memory", "2GiB", "most memory for one decode, 0 for no limit", &l.MaxMemory},
	} {
		f.add(x.name, "N", x.def, x.help, func(s string) (err error) {
			*x.field, err = parseLimit(s)
			return err
		})
	}
}

// accept defines the flags that say what becomes of damage.
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
	f.color("fill", "#808080", "what the missing part of a damaged picture is filled with", func(c decode.RGB8) { s.Fill = &c })
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

// alpha defines --alpha.
func (f *flags) alpha(s *decode.ImageSpec, keep *bool) {
	f.add("alpha", "drop|keep|over:#rrggbb", "drop", "what becomes of transparency", func(text string) (err error) {
		*keep, s.Alpha = text == "keep", decode.DropAlpha
		if color, over := strings.CutPrefix(text, "over:"); over {
			s.Alpha = decode.BlendAlpha
			s.Over, err = parseColor(color)
		} else if text != "drop" && !*keep {
			err = errors.New("one of drop, keep, over:#rrggbb")
		}
		return err
	})
}
