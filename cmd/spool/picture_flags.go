package main

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/resize"
)

var modes = map[string]resize.Mode{"stretch": resize.Stretch, "fit": resize.Fit, "cover": resize.Cover}

var filters = map[string]resize.Filter{"bilinear": resize.Bilinear, "bicubic": resize.Bicubic,
	"lanczos": resize.Lanczos, "box": resize.Box, "nearest": resize.Nearest}

// setSize takes a size if it is one, and leaves what there was if not, so that one mistake is told once.
func setSize(s *resize.Spec, text string, parse func(string) (w, h int, err error)) error {
	w, h, err := parse(text)
	if err == nil {
		s.Width, s.Height = w, h
	}
	return err
}

// profile is the only one so far: the same bytes as torchvision.
func (f *flags) profile(p *string) {
	choice(f, "profile", p, "exact", "whose pixels: exact gives torchvision's bytes", map[string]string{"exact": "exact"})
}

// limits defines the flags that bound what one input may cost.
func (f *flags) limits(l *decode.Limits) {
	for _, x := range []struct {
		name, def, help string
		field           *int64
	}{
		{"max-pixels", "178956970", "largest picture in pixels, 0 for no limit", &l.MaxPixels},
		{"max-bytes", "1GiB", "largest file, 0 for no limit", &l.MaxBytes},
		{"max-memory", "2GiB", "most memory for one decode, 0 for no limit", &l.MaxMemory},
	} {
		f.add(x.name, "N", x.def, x.help, func(s string) error {
			n, err := parseBytes(s)
			if err == nil {
				*x.field = n
			}
			return err
		})
	}
}

// accept defines the flags that say what becomes of damage.
func (f *flags) accept(s *decode.ImageSpec) {
	f.add("accept", "F", "", "take a damaged picture if at least this fraction was read", func(text string) error {
		if text == "refuse" {
			s.Accept = 0
			return nil
		}
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || !(v > 0 && v <= 1) {
			return errors.New("not a fraction above 0, up to 1")
		}
		s.Accept = v
		return nil
	})
	f.color("fill", "#808080", "what a damaged picture's missing part is filled with", func(c decode.RGB8) { s.Fill = &c })
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

// alpha defines --alpha: drop, keep or over:#rrggbb.
func (f *flags) alpha(s *decode.ImageSpec, keep *bool) {
	f.add("alpha", "drop|keep|over:#rrggbb", "drop", "what becomes of transparency", func(text string) error {
		*keep, s.Alpha = false, decode.DropAlpha
		switch {
		case text == "drop":
		case text == "keep":
			*keep = true
		case len(text) > 5 && text[:5] == "over:":
			c, err := parseColor(text[5:])
			if err != nil {
				return err
			}
			s.Alpha, s.Over = decode.BlendAlpha, c
		default:
			return fmt.Errorf("one of drop, keep, over:#rrggbb")
		}
		return nil
	})
}
