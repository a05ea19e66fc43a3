package settings

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spoolmedia/spool/decode"
)

// Number defines a setting for an integer that is at least least.
func (s *Set) Number(name string, p *int, def string, least int, help string) {
	s.Add(name, "N", def, help, func(text string) error {
		n, err := parseInt(text)
		if err == nil && n < least {
			err = fmt.Errorf("must be at least %d", least)
		}
		if err == nil {
			*p = n
		}
		return err
	})
}

// Choice defines a setting for one of several words.
func Choice[T any](s *Set, name string, p *T, def, help string, words map[string]T) {
	names := slices.Sorted(maps.Keys(words))
	s.define(&Setting{Name: name, Kind: strings.Join(names, "|"), Help: help, Words: names, text: def,
		parse: func(text string) error {
			v, ok := words[text]
			if !ok {
				return errors.New("must be " + AnyOf(names) + Meant(text, names))
			}
			*p = v
			return nil
		}})
}

// Boolean defines a setting that is true or false.
func (s *Set) Boolean(name string, p *bool, def bool, help string) {
	s.define(&Setting{Name: name, Kind: "bool", Help: help, Switch: true, text: strconv.FormatBool(def),
		parse: func(text string) (err error) {
			if *p, err = strconv.ParseBool(text); err != nil {
				err = errors.New("must be true or false")
			}
			return err
		}})
}

// Text defines a setting for any text.
func (s *Set) Text(name string, p *string, kind, help string) {
	s.Add(name, kind, "", help, func(text string) error { *p = text; return nil })
}

// Size defines a setting for a width and a height. An invalid value leaves both unchanged, so that it is reported once.
func (s *Set) Size(name, def, help string, width, height *int) {
	s.size(name, "WxH", def, help, width, height, parseSize)
}

// Square is like Size, but also accepts a single number for both width and height.
func (s *Set) Square(name, def, help string, width, height *int) {
	s.size(name, "N|WxH", def, help, width, height, parseSquare)
}

func (s *Set) size(name, kind, def, help string, width, height *int, parse func(string) (w, h int, err error)) {
	s.define(&Setting{Name: name, Kind: kind, Help: help, text: def, join: "x", parse: func(text string) error {
		w, h, err := parse(text)
		if err == nil {
			*width, *height = w, h
		}
		return err
	}})
}

// Color defines a setting for a color.
func (s *Set) Color(name, def, help string, set func(decode.RGB8)) {
	s.Add(name, "#rrggbb", def, help, func(text string) error {
		c, err := parseColor(text)
		if err == nil {
			set(c)
		}
		return err
	})
}

// Duration defines a setting for a length of time, in seconds. 0 is no limit.
func (s *Set) Duration(name string, p *time.Duration, def, help string) {
	s.Add(name, "S", def, help, func(text string) error {
		t, err := strconv.ParseFloat(text, 64)
		if err != nil || !(t >= 0 && t <= maxSeconds) {
			return errors.New("must be a number of seconds like 30, or 0 for no limit")
		}
		*p = time.Duration(t * float64(time.Second))
		return nil
	})
}

// maxSeconds is a year.
const maxSeconds = 366 * 24 * 3600

// Seconds defines a setting for a time.
func (s *Set) Seconds(name, help string, p *float64) {
	s.Add(name, "S", "", help, func(text string) error {
		t, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(t) || math.IsInf(t, 0) {
			return errors.New("must be a time in seconds, like 1.5")
		}
		*p = t
		return nil
	})
}
