package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/record"
	"github.com/spoolmedia/spool/record/annotation"
)

// kinds define the settings of a field of each kind. judge checks them together, and returns the kind.
var kinds = map[string]func(*Set) (judge func() record.FieldKind){
	"image": imageField, "mask": maskField, "boxes": boxesField, "points": pointsField, "number": numberField,
	"instances": instancesField, "video": videoField, "audio": audioField,
	"text":   func(*Set) func() record.FieldKind { return func() record.FieldKind { return record.Text{} } },
	"json":   func(*Set) func() record.FieldKind { return func() record.FieldKind { return record.JSON{} } },
	"bytes":  func(*Set) func() record.FieldKind { return func() record.FieldKind { return record.Bytes{} } },
	"column": func(*Set) func() record.FieldKind { return func() record.FieldKind { return record.Column{} } },
}

// Fields defines the settings for the fields of records: the flags field and schema, and the key fields. Afterwards,
// unread reports whether some field could not be read, so that the schema lacks it.
func (s *Set) Fields(schema *record.Schema) (unread func() bool) {
	lacking := false
	add := func(name string, read func(*Set)) error {
		f, err := field(name, read, s.keys)
		if err == nil {
			*schema = append(*schema, f)
		}
		lacking = lacking || err != nil
		return err
	}
	fields := s.Add("field", "NAME=KIND[:INPUT][,OPTION=VALUE...]", "",
		"a field of each record, like mask=mask:seg.png,like=image; give it once for each field",
		func(text string) error {
			name, options, err := fieldText(text)
			if err != nil {
				lacking = true
				return err
			}
			return add(name, func(own *Set) {
				for _, x := range options {
					own.assign(x[0], x[1])
				}
			})
		})
	fields.join = ""
	object := func(text []byte) error {
		var problems []error
		err := members(text, func(name string, value json.RawMessage) {
			problems = append(problems, add(name, func(own *Set) { own.JSON(value) }))
		})
		if err != nil {
			lacking = true
			return fmt.Errorf("must be an object with an object for each field: %w", err)
		}
		return errors.Join(problems...)
	}
	s.Add("schema", "FILE", "", "the fields of each record, as YAML or JSON: {fields: {NAME: {kind: KIND, ...}}}",
		func(name string) error {
			text, err := s.schemaFile(name)
			if err != nil {
				lacking = true
				return err
			}
			return object(text)
		})
	s.define(&Setting{Name: "fields", Kind: "OBJECT", Help: "the fields of each record", hidden: true,
		raw: object, parse: func(text string) error { return object([]byte(text)) }})
	return func() bool { return lacking }
}

// field reads a field. read sets its settings.
func field(name string, read func(*Set), keys bool) (record.Field, error) {
	f := record.Field{Name: name}
	kind := name
	// The kind decides which settings there are.
	first := &Set{keys: keys, lenient: true}
	first.Text("kind", &kind, "KIND", "")
	read(first)
	define := kinds[kind]
	if define == nil {
		words := slices.Sorted(maps.Keys(kinds))
		return f, fmt.Errorf("field %s: kind %q must be %s%s", name, kind, AnyOf(words), Meant(kind, words))
	}
	own := &Set{keys: keys}
	Choice(own, "kind", &kind, kind, "how the field is decoded", choices(slices.Sorted(maps.Keys(kinds))))
	own.Text("input", &f.Input, "INPUT", "extension of a member, column or subfolder; the field's name by default")
	own.Boolean("optional", &f.Optional, false, "accept samples that lack it")
	judge := define(own)
	read(own)
	f.Kind = judge()
	if err := own.Err(); err != nil {
		return f, fmt.Errorf("field %s: %w", name, err)
	}
	return f, nil
}

// choices returns words that stand for themselves.
func choices(words []string) map[string]string {
	m := map[string]string{}
	for _, w := range words {
		m[w] = w
	}
	return m
}

// fieldText reads NAME=KIND[:INPUT][,KEY=VALUE...]. A value may contain commas: mean=0.5,0.5,0.5.
func fieldText(text string) (name string, options [][2]string, err error) {
	words := strings.Split(text, ",")
	name, what, found := strings.Cut(words[0], "=")
	if !found {
		return "", nil, errors.New("must be of the form NAME=KIND[:INPUT][,OPTION=VALUE...]")
	}
	kind, input, _ := strings.Cut(what, ":")
	if kind != "" {
		options = append(options, [2]string{"kind", kind})
	}
	if input != "" {
		options = append(options, [2]string{"input", input})
	}
	for _, word := range words[1:] {
		key, value, found := strings.Cut(word, "=")
		if n := len(options); !found && n > 0 {
			options[n-1][1] += "," + word
			continue
		}
		options = append(options, [2]string{key, value})
	}
	return name, options, nil
}

// schemaFile returns the object of fields in a file, as JSON.
func (s *Set) schemaFile(name string) ([]byte, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	if s.YAML != nil {
		if text, err = s.YAML(text); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	var file struct {
		Fields json.RawMessage `json:"fields"`
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&file); err != nil {
		if s.YAML == nil {
			return nil, fmt.Errorf("%s: must be JSON: %w", name, err)
		}
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(file.Fields) == 0 || file.Fields[0] != '{' {
		return nil, fmt.Errorf("%s: fields must be a mapping of names", name)
	}
	return file.Fields, nil
}

func imageField(s *Set) func() record.FieldKind {
	var (
		k     record.Image
		train bool
	)
	spec := &k.Spec
	s.sample(&spec.Resize)
	snap := &spec.Resize.Snap
	s.Number("resize-multiple", &snap.Multiple, "0", 0, "instead of --size: the nearest sides that are multiples of N")
	s.Number("resize-min-pixels", &snap.MinPixels, "0", 0, "then enlarge images to at least N pixels")
	s.Number("resize-max-pixels", &snap.MaxPixels, "0", 0, "then shrink images to at most N pixels; 0: no bound")
	s.Number("frame", &spec.Frame, "0", 0, "which frame of animated images, or which page")
	p := s.ImagePixels(spec)
	s.Boolean("train", &train, false, "a random crop, resized to --size, and mirrored half of the time")
	s.Number("views", &k.Views, "0", 0, "how many differently drawn results: NAME.0, NAME.1; 0: one, called NAME")
	s.random(&k.Augment, &k.Ops)
	return func() record.FieldKind {
		s.trained(train, &k.Augment)
		s.sampled(&spec.Resize, train)
		if !s.Given("size") { // the form of batches decides: see sizes
			spec.Resize.Width, spec.Resize.Height = 0, 0
		}
		p.Judge(s)
		return k
	}
}

// like defines the setting for the image that a field follows.
func (s *Set) like(p *string) {
	*p = "image"
	s.Add("like", "NAME", "image", "the image field whose crop and flips it follows",
		func(text string) error { *p = text; return nil })
}

func maskField(s *Set) func() record.FieldKind {
	var (
		k    record.Mask
		fill int
	)
	s.like(&k.Like)
	Choice(s, "color", &k.Color, "index", "index: palette indexes, or gray values",
		map[string]record.MaskColor{"index": record.Index, "gray": record.Gray, "rgb": record.RGB, "rgba": record.RGBA})
	s.Number("fill", &fill, "0", 0, "value of pixels outside of the mask, up to 255")
	return func() record.FieldKind {
		if fill > 255 {
			s.Refuse("--fill=%d: must be at most 255", fill)
		}
		k.Fill = uint8(fill)
		return k
	}
}

func boxesField(s *Set) func() record.FieldKind {
	var k record.Boxes
	s.like(&k.Like)
	Choice(s, "format", &k.Format, "xyxy", "the format of boxes, in the input and the result",
		map[string]annotation.Format{"xyxy": annotation.XYXY, "xywh": annotation.XYWH, "cxcywh": annotation.CXCYWH})
	s.Boolean("keep-all", &k.KeepAll, false, "keep boxes that are empty after the crop")
	s.float("min-size", &k.MinSize, "1", "least side of a box in pixels of the result")
	s.float("min-area", &k.MinArea, "1", "least area of a box in pixels of the result")
	return func() record.FieldKind {
		if k.KeepAll {
			if s.Given("min-size") || s.Given("min-area") {
				s.Refuse("--keep-all excludes --min-size and --min-area: no box is removed")
			}
			k.MinSize, k.MinArea = 0, 0
		}
		return k
	}
}

// float defines a setting for a number from 0 up.
func (s *Set) float(name string, p *float32, def, help string) {
	s.Add(name, "F", def, help, func(text string) error {
		v, err := strconv.ParseFloat(text, 32)
		if err != nil || !(v >= 0) {
			return errors.New("must be a number from 0 up")
		}
		*p = float32(v)
		return nil
	})
}

func pointsField(s *Set) func() record.FieldKind {
	var k record.Points
	s.like(&k.Like)
	return func() record.FieldKind { return k }
}

func instancesField(s *Set) func() record.FieldKind {
	var k record.Instances
	s.like(&k.Like)
	s.Text("boxes", &k.Boxes, "NAME", "the boxes field that says which objects are kept; all by default")
	return func() record.FieldKind { return k }
}

func numberField(s *Set) func() record.FieldKind {
	var k record.Number
	Choice(s, "dtype", &k.DType, "float32", "type of the numbers",
		map[string]spool.DType{"float32": spool.Float32, "float64": spool.Float64, "int64": spool.Int64,
			"uint8": spool.Uint8})
	s.Add("shape", "N,...", "", "shape of a list of numbers; one number by default", func(text string) error {
		for word := range strings.SplitSeq(text, ",") {
			n, err := parseInt(word)
			if err != nil || n < 1 {
				return errors.New("must be numbers from 1 up")
			}
			k.Shape = append(k.Shape, n)
		}
		return nil
	})
	s.Add("default", "F", "0", "value where the field is absent", func(text string) (err error) {
		if k.Default, err = strconv.ParseFloat(text, 64); err != nil {
			err = errors.New("must be a number")
		}
		return err
	})
	return func() record.FieldKind { return k }
}
