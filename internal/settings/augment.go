package settings

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spoolmedia/spool/resize"
)

// Augment defines the settings for the random geometry of training, and for a crop that the caller chooses.
func (s *Set) Augment(spec *resize.Spec, a *resize.Augment) {
	s.pixels("box", "L,T,W,H", "crop the image to this box first", func(n []int) bool {
		if len(n) != 4 {
			return false
		}
		spec.Box = resize.Rect{Left: n[0], Top: n[1], Width: n[2], Height: n[3]}
		return true
	})
	s.randomGeometry(a)
}

// randomGeometry defines the settings for the random geometry of training.
func (s *Set) randomGeometry(a *resize.Augment) {
	resized := func(place func(*resize.RandomResizedCrop) *[2]float64) func(string) error {
		return func(text string) error {
			if a.ResizedCrop == nil {
				a.ResizedCrop = new(resize.RandomResizedCrop)
			}
			return parsePair(text, place(a.ResizedCrop))
		}
	}
	s.Add("random-scale", "A,B", "", "a random crop of the image with a share of its area between A and B, like 0.08,1",
		resized(func(c *resize.RandomResizedCrop) *[2]float64 { return &c.Scale }))
	s.Add("random-ratio", "A,B", "", "a random crop of the image, A to B times as wide as high, like 0.75,1.3333",
		resized(func(c *resize.RandomResizedCrop) *[2]float64 { return &c.Ratio }))
	s.pixels("random-crop", "N|L,T,R,B", "take the crop at a random position, after padding the image by this many pixels",
		func(n []int) bool {
			a.Crop = new(resize.RandomCrop)
			switch len(n) {
			case 1:
				a.Crop.Padding = resize.Padding{Left: n[0], Top: n[0], Right: n[0], Bottom: n[0]}
			case 4:
				a.Crop.Padding = resize.Padding{Left: n[0], Top: n[1], Right: n[2], Bottom: n[3]}
			}
			return len(n) == 1 || len(n) == 4
		})
	s.chance("flip-x", "probability of mirroring an image left to right, 0 to 1", &a.FlipX)
	s.chance("flip-y", "probability of mirroring an image top to bottom, 0 to 1", &a.FlipY)
}

// pixels defines a setting for a list of numbers of pixels. set reports whether the list has a valid length.
func (s *Set) pixels(name, kind, help string, set func([]int) bool) {
	s.Add(name, kind, "", help, func(text string) error {
		var list []int
		for word := range strings.SplitSeq(text, ",") {
			n, err := parseInt(strings.TrimSpace(word))
			if err != nil || n < 0 {
				return fmt.Errorf("must be of the form %s, in pixels", kind)
			}
			list = append(list, n)
		}
		if !set(list) {
			return fmt.Errorf("must be of the form %s, in pixels", kind)
		}
		return nil
	})
}

// chance defines a setting for a probability.
func (s *Set) chance(name, help string, p *float64) {
	s.Add(name, "P", "", help, func(text string) error {
		f, err := strconv.ParseFloat(text, 64)
		if err != nil || !(f >= 0 && f <= 1) {
			return errors.New("must be a probability from 0 to 1")
		}
		*p = f
		return nil
	})
}

// parsePair reads A,B.
func parsePair(text string, pair *[2]float64) error {
	words := strings.Split(text, ",")
	if len(words) != len(pair) {
		return errors.New("must be two numbers like 0.75,1.3333")
	}
	for i, word := range words {
		f, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
		if err != nil {
			return errors.New("must be two numbers like 0.75,1.3333")
		}
		pair[i] = f
	}
	return nil
}
