package settings

import (
	"errors"
	"strconv"

	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/source/object"
)

// DecodeImage is what decoding a picture takes.
type DecodeImage struct {
	Spec    decode.ImageSpec
	All     bool // frames, from Spec.Frame on
	Options decode.Options
	Stores  object.Options // where the file is at an address
}

// DecodeImage defines the settings of decode image. When all have been given, judge completes them and adds what is wrong.
func (s *Set) DecodeImage(d *DecodeImage) (judge func()) {
	s.Geometry(&d.Spec.Resize)
	s.Add("frame", "N|all", "0", "which frame of an animated picture, or page; all puts their number in front of the shape", func(text string) (err error) {
		if d.All = text == "all"; d.All {
			return nil
		}
		if d.Spec.Frame, err = strconv.Atoi(text); err != nil || d.Spec.Frame < 0 {
			d.Spec.Frame, err = 0, errors.New("a number from 0 up, or all")
		}
		return err
	})
	p := s.Picture(&d.Spec)
	s.JPEG(&d.Options.JPEG)
	s.Limits(&d.Options.Limits)
	s.Stores(&d.Stores)
	return func() {
		p.Judge(s)
		s.Check(d.Spec.Validate())
	}
}
