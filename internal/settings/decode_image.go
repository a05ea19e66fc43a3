package settings

import (
	"errors"
	"strconv"

	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/source/object"
)

// DecodeImage is the parameters of decoding an image.
type DecodeImage struct {
	Spec    image.Spec
	All     bool // all frames, from Spec.Frame on
	Options decoders.Options
	Stores  object.Options // for a file at a URL
}

// DecodeImage defines the settings of decode image. Once all values are given, judge completes d and adds the problems.
func (s *Set) DecodeImage(d *DecodeImage) (judge func()) {
	s.Geometry(&d.Spec.Resize)
	s.crops(&d.Spec.Crops)
	s.Add("frame", "N|all", "0", "which frame of an animated image, or page; all returns every frame, and prepends "+
		"their number to the shape", func(text string) (err error) {
		if d.All = text == "all"; d.All {
			return nil
		}
		if d.Spec.Frame, err = strconv.Atoi(text); err != nil || d.Spec.Frame < 0 {
			d.Spec.Frame, err = 0, errors.New("must be a number from 0 up, or all")
		}
		return err
	})
	p := s.ImagePixels(&d.Spec)
	s.JPEG(&d.Options.JPEG)
	s.Isolate(&d.Options.Isolate)
	s.Limits(&d.Options.Limits)
	s.Stores(&d.Stores)
	return func() {
		p.Judge(s)
		s.Check(d.Spec.Validate())
	}
}
