package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/augment"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/resize"
)

// Augment defines the settings for the random geometry and the random operations of training, and for a crop that the
// caller chooses.
func (s *Set) Augment(spec *resize.Spec, a *resize.Augment, ops *augment.Ops) {
	s.pixels("box", "L,T,W,H", "crop the image to this box first", func(n []int) bool {
		if len(n) != 4 {
			return false
		}
		spec.Box = resize.Rect{Left: n[0], Top: n[1], Width: n[2], Height: n[3]}
		return true
	})
	s.random(a, ops)
}

// random defines the settings for the random geometry of training, and for its operations on pixels.
func (s *Set) random(a *resize.Augment, ops *augment.Ops) {
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
	s.ops(ops)
}

// ops defines the setting for operations on pixels.
func (s *Set) ops(list *augment.Ops) {
	add := func(name string, read func(own *Set, values []*Setting)) error {
		op, err := s.op(name, read)
		if err == nil {
			*list = append(*list, op)
		}
		return err
	}
	text := func(text string) error {
		name, rest, _ := strings.Cut(text, ":")
		return add(name, func(own *Set, values []*Setting) { own.positional(values, rest) })
	}
	v := s.Add("augment", "OP[:VALUE,...]", "", "an operation on pixels after the resize, drawn for each sample, like "+
		"randaugment:2,9 or jitter:0.4,0.4,0.4,0.1; give it once for each operation", text)
	v.join = ""
	v.raw = func(value []byte) error { return eachOp(value, text, add) }
}

// eachOp reads operations of JSON: a text like that of the flag, an object with the name as op, or a list of these.
func eachOp(value json.RawMessage, text func(string) error,
	add func(string, func(*Set, []*Setting)) error) error {
	switch value[0] {
	case 'n':
		return nil
	case '[':
		var list []json.RawMessage
		if err := json.Unmarshal(value, &list); err != nil {
			return err
		}
		var problems []error
		for _, one := range list {
			problems = append(problems, eachOp(one, text, add))
		}
		return errors.Join(problems...)
	case '{':
		var object map[string]json.RawMessage
		if err := json.Unmarshal(value, &object); err != nil {
			return err
		}
		var name string
		if op, known := object["op"]; known {
			if err := json.Unmarshal(op, &name); err != nil {
				return err
			}
		}
		delete(object, "op")
		rest, err := json.Marshal(object)
		if err != nil {
			return err
		}
		return add(name, func(own *Set, _ []*Setting) { own.JSON(rest) })
	}
	word, err := plain(value)
	if err != nil {
		return err
	}
	return text(word)
}

// op reads an operation. read sets its values, of which positions have the given order.
func (s *Set) op(name string, read func(own *Set, values []*Setting)) (augment.Op, error) {
	define := operations[name]
	if define == nil {
		words := slices.Sorted(maps.Keys(operations))
		return nil, fmt.Errorf("%q must be %s%s", name, AnyOf(words), Meant(name, words))
	}
	var values []*Setting
	own := &Set{keys: s.keys, Defined: func(v *Setting) { values = append(values, v) }}
	op := define(own)
	read(own, values)
	made := op()
	for _, err := range Split(made.Validate()) {
		if o, ok := errors.AsType[*spool.OptionError](err); ok {
			field := o.Options[0] // its name is that of the setting, but for capitals
			own.Refuse("--%s=%s: %s", strings.ToLower(field.Name), valueText(field.Value), o.Text)
		}
	}
	if err := own.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return made, nil
}

// positional reads values by their positions, or as KEY=VALUE.
func (s *Set) positional(values []*Setting, text string) {
	if text == "" {
		return
	}
	for i, word := range strings.Split(text, ",") {
		key, value, named := strings.Cut(word, "=")
		switch {
		case named:
			s.assign(key, value)
		case i >= len(values):
			s.Refuse("%s: there are at most %d values", text, len(values))
		default:
			_ = values[i].Set(word) // it records its problem
		}
	}
}

// operations define the values of an operation of each name, in the order of their positions.
var operations = map[string]func(*Set) func() augment.Op{
	"jitter": func(s *Set) func() augment.Op {
		var o augment.ColorJitter
		s.span("brightness", &o.Brightness, "", "factors, or X for 1-X..1+X", around)
		s.span("contrast", &o.Contrast, "", "as for brightness", around)
		s.span("saturation", &o.Saturation, "", "as for brightness", around)
		s.span("hue", &o.Hue, "", "of a full turn, or X for -X..X", func(x float64) [2]float64 { return [2]float64{-x, x} })
		s.p(&o.P, "1")
		return func() augment.Op { return o }
	},
	"grayscale": onlyP("0.1", func(p float64) augment.Op { return augment.Grayscale{P: p} }),
	"solarize": func(s *Set) func() augment.Op {
		var o augment.Solarize
		s.factor("threshold", &o.Threshold, "128", "bytes from it on are inverted")
		s.p(&o.P, "0.5")
		return func() augment.Op { return o }
	},
	"posterize": func(s *Set) func() augment.Op {
		var o augment.Posterize
		s.Number("bits", &o.Bits, "4", 0, "the upper bits that are kept")
		s.p(&o.P, "0.5")
		return func() augment.Op { return o }
	},
	"invert":       onlyP("0.5", func(p float64) augment.Op { return augment.Invert{P: p} }),
	"autocontrast": onlyP("0.5", func(p float64) augment.Op { return augment.Autocontrast{P: p} }),
	"equalize":     onlyP("0.5", func(p float64) augment.Op { return augment.Equalize{P: p} }),
	"sharpness": func(s *Set) func() augment.Op {
		var o augment.Sharpness
		s.factor("factor", &o.Factor, "2", "0 softens, 1 changes nothing, 2 sharpens")
		s.p(&o.P, "0.5")
		return func() augment.Op { return o }
	},
	"blur": func(s *Set) func() augment.Op {
		var o augment.GaussianBlur
		s.Number("kernel", &o.Kernel, "9", 1, "pixels along a side, odd")
		s.span("sigma", &o.Sigma, "0.1..2", "range in pixels, or one value", twice)
		s.p(&o.P, "1")
		return func() augment.Op { return o }
	},
	"erasing": func(s *Set) func() augment.Op {
		var o augment.Erasing
		s.p(&o.P, "0.5")
		s.span("scale", &o.Scale, "0.02..0.33", "share of the image", twice)
		s.span("ratio", &o.Ratio, "0.3..3.3", "height / width", twice)
		random := false
		s.Add("color", "#rrggbb|random", "#000000", "color of the rectangle; random: noise with the mean and the standard "+
			"deviation of ImageNet, #7c7468 and #3a3939", func(text string) (err error) {
			if random = text == "random"; !random {
				var c decode.RGB8
				c, err = parseColor(text)
				o.Color = [3]uint8{c.R, c.G, c.B}
			}
			return err
		})
		s.rgb("noise", &o.Noise, "standard deviation of normal noise around the color")
		return func() augment.Op {
			if random {
				o.Color, o.Noise = [3]uint8{0x7c, 0x74, 0x68}, [3]uint8{0x3a, 0x39, 0x39}
			}
			return o
		}
	},
	"randaugment": func(s *Set) func() augment.Op {
		var o augment.RandAugment
		s.Number("ops", &o.Ops, "2", 1, "operations, one after the other")
		s.Number("magnitude", &o.Magnitude, "9", 0, "their magnitude")
		s.Number("bins", &o.Bins, "31", 2, "number of magnitudes")
		s.rgb("fill", &o.Fill, "color outside of the image")
		return func() augment.Op { return o }
	},
	"trivialaugment": func(s *Set) func() augment.Op {
		var o augment.TrivialAugmentWide
		s.Number("bins", &o.Bins, "31", 2, "number of magnitudes")
		s.rgb("fill", &o.Fill, "color outside of the image")
		return func() augment.Op { return o }
	},
}

// onlyP defines an operation that has nothing but a probability.
func onlyP(def string, op func(p float64) augment.Op) func(*Set) func() augment.Op {
	return func(s *Set) func() augment.Op {
		var p float64
		s.p(&p, def)
		return func() augment.Op { return op(p) }
	}
}

// around is augment.Around, without an operation for 0.
func around(x float64) [2]float64 {
	if x == 0 {
		return [2]float64{}
	}
	return augment.Around(x)
}

func twice(x float64) [2]float64 { return [2]float64{x, x} }

// p defines the probability of an operation. The operation's own value for never is negative.
func (s *Set) p(p *float64, def string) {
	s.Add("p", "P", def, "probability", func(text string) error {
		f, err := strconv.ParseFloat(text, 64)
		if err != nil || !(f >= 0 && f <= 1) {
			return errors.New("must be a probability from 0 to 1")
		}
		if *p = f; f == 0 {
			*p = -1
		}
		return nil
	})
}

// factor defines a number of an operation.
func (s *Set) factor(name string, p *float64, def, help string) {
	s.Add(name, "X", def, help, func(text string) error {
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return errors.New("must be a number")
		}
		*p = f
		return nil
	})
}

// rgb defines a color of an operation.
func (s *Set) rgb(name string, p *[3]uint8, help string) {
	s.Color(name, "#000000", help, func(c decode.RGB8) { *p = [3]uint8{c.R, c.G, c.B} })
}

// span defines a range A..B of an operation. one returns that of a single number.
func (s *Set) span(name string, p *[2]float64, def, help string, one func(float64) [2]float64) {
	s.Add(name, "X|A..B", def, help, func(text string) error {
		from, to, both := strings.Cut(text, "..")
		a, err := strconv.ParseFloat(from, 64)
		if err == nil && !both {
			if a < 0 {
				return errors.New("must not be negative")
			}
			*p = one(a)
			return nil
		}
		b, other := strconv.ParseFloat(to, 64)
		if err != nil || other != nil {
			return errors.New("must be a number, or a range like 0.5..1.5")
		}
		*p = [2]float64{a, b}
		return nil
	}).join = ".."
}

// pixels defines a setting for a list of numbers of pixels. set reports whether the list has a valid length.
func (s *Set) pixels(name, kind, help string, set func([]int) bool) {
	s.Add(name, kind, "", help, func(text string) error {
		list, err := parseInts(text)
		if err != nil || slices.Min(list) < 0 || !set(list) {
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
