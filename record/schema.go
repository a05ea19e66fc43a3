package record

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/augment"
	"github.com/spoolmedia/spool/internal/invalid"
	"github.com/spoolmedia/spool/resize"
	"github.com/spoolmedia/spool/source"
)

// Schema is the fields of a record, in the order of the results.
type Schema []Field

// Field is a named part of a record.
type Field struct {
	// Name is the field's name in batches: a letter or underscore, then letters, digits, underscores, dots and dashes.
	Name string
	// Input is what the field is decoded from: in shards the extension of a member, in tables a column, in folders a
	// subfolder. "jpg;png" are alternatives: see source.Input. Empty means Name.
	Input string
	// Optional accepts records without the input: see Missing fields.
	Optional bool
	// Kind is how the input is decoded: Image, Mask and so on.
	Kind FieldKind
}

// FieldKind is how a field's input is decoded. This package has all implementations.
type FieldKind interface {
	// validate adds the problems of a field of this kind.
	validate(s Schema, bad *invalid.Options)
	// value reports whether a column of a table holds the field itself, and not where its bytes are.
	value() bool
	// parts returns the results of a field of this kind. s is the schema, which is valid.
	parts(s Schema) []part
}

// part is one of the results of a field, or of a view of it: an array of a batch, or a value of any length.
type part struct {
	suffix string // after the name of the field
	array  bool
	sample spool.Desc // of an array: one sample
}

// FieldError is an error of one field of a sample.
type FieldError struct {
	Field string
	Err   error
}

// Error returns the field's name and the error.
func (e *FieldError) Error() string { return "field " + e.Field + ": " + e.Err.Error() }

// Unwrap returns the error.
func (e *FieldError) Unwrap() error { return e.Err }

// Draws returns the options of a field that make its samples random; nil for most.
func (f Field) Draws() (options []string) {
	var geometry resize.Augment
	var ops augment.Ops
	random := false
	switch k := f.Kind.(type) {
	case Image:
		geometry, ops = k.Augment, k.Ops
	case Video:
		geometry, ops, random = k.Augment, k.Ops, k.Random
	case Audio:
		random = k.Random
	}
	if geometry != (resize.Augment{}) {
		options = append(options, "Augment")
	}
	if len(ops) > 0 {
		options = append(options, "Ops")
	}
	if random {
		options = append(options, "Random")
	}
	return options
}

// Find returns the position of a field, or -1.
func (s Schema) Find(name string) int {
	return slices.IndexFunc(s, func(f Field) bool { return f.Name == name })
}

// Validate reports all problems of the schema, each of which names its field. All images must have fixed sizes, and all
// video and audio fixed lengths.
func (s Schema) Validate() error {
	var bad invalid.Options
	bad.Add(s.ValidateSized())
	for _, f := range s {
		switch k := f.Kind.(type) {
		case Video:
			if k.Frames == AllFrames {
				err := &spool.OptionError{Options: invalid.With("Frames", "all"), Text: "the clips of a batch need one length; " +
					"or choose a form of batches for clips of any length"}
				bad.Add(&FieldError{Field: f.Name, Err: err})
			}
		case Audio:
			if k.Spec.Length == 0 && k.Spec.Rate != 0 && k.Spec.Channels != 0 {
				err := &spool.OptionError{Options: invalid.Named("Spec.Length"),
					Text: "must be set, as the audio of a batch needs " +
						"one length; or choose a form of batches for audio of any length"}
				bad.Add(&FieldError{Field: f.Name, Err: err})
			}
		case Image:
			if k.Spec.Validate() != nil || fixed(k.Spec) {
				continue
			}
			err := &spool.OptionError{Options: invalid.Named("Spec.Resize"), Text: "must give all images of a batch one size; " +
				"or choose a form of batches for images of any size"}
			bad.Add(&FieldError{Field: f.Name, Err: err})
		}
	}
	return bad.Err()
}

// ValidateSized is Validate for images of any size, and video and audio of any length.
func (s Schema) ValidateSized() error {
	var bad invalid.Options
	if len(s) == 0 {
		bad.Addf("a schema needs at least one field")
	}
	for i, f := range s {
		switch {
		case !validName(f.Name):
			bad.Value("Name", f.Name, "must be a letter or underscore, then letters, digits, and any of _ . -")
		case s.Find(f.Name) != i:
			bad.Value("Name", f.Name, "two fields have this name")
		}
		if f.Kind == nil {
			bad.Addf("field %s: Kind must be set", f.Name)
			continue
		}
		var own invalid.Options
		f.Kind.validate(s, &own)
		for _, err := range own {
			bad.Add(&FieldError{Field: f.Name, Err: err})
		}
	}
	if len(bad) == 0 {
		s.validateResults(&bad)
	}
	return bad.Err()
}

// validateResults adds what is wrong with the results of fields that are valid.
func (s Schema) validateResults(bad *invalid.Options) {
	arrays := false
	owner := map[string]string{}
	for _, f := range s {
		parts := f.Kind.parts(s)
		arrays = arrays || parts[0].array
		for _, o := range outputs(f.Name, s.views(f.Kind), parts) {
			if other, taken := owner[o.Name]; taken {
				bad.Value("Name", f.Name, "its result %s has the name of a result of field %s", o.Name, other)
			}
			owner[o.Name] = f.Name
		}
	}
	if len(s) > 0 && !arrays {
		bad.Addf("a schema needs at least one field of a fixed size: an image, a mask, a video, audio or a number")
	}
}

// views returns how many views a field of a kind has; 0 for one, which has no number.
func (s Schema) views(k FieldKind) int {
	if leader := follows(k); leader != "" {
		k = s[s.Find(leader)].Kind
	}
	switch k := k.(type) {
	case Image:
		return k.Views
	case Video:
		return k.Clips
	}
	return 0
}

// Output is a result of a field by its name in batches.
type Output struct {
	Name  string
	Field string // the field's name
	View  int    // number of the view; -1 for a field without numbered views
	Part  string // which of a field's several results: labels, index, pts and so on; empty for the first
}

// Outputs returns the results of all fields of a valid schema, field by field and view by view.
func (s Schema) Outputs() (all []Output) {
	for _, f := range s {
		all = append(all, outputs(f.Name, s.views(f.Kind), f.Kind.parts(s))...)
	}
	return all
}

// outputs returns the results of a field, view by view.
func outputs(field string, views int, parts []part) (all []Output) {
	for view := range max(1, views) {
		name, number := field, -1
		if views > 0 {
			name, number = fmt.Sprintf("%s.%d", field, view), view
		}
		for _, p := range parts {
			part := strings.TrimPrefix(p.suffix, ".")
			all = append(all, Output{Name: name + p.suffix, Field: field, View: number, Part: part})
		}
	}
	return all
}

func validName(name string) bool {
	for i, r := range name {
		letter := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r != '-' && r != '.' && (r < '0' || r > '9')) {
			return false
		}
	}
	return name != ""
}

// Inputs returns the distinct inputs of the schema's fields: those that they are decoded from, and those of their
// times. An input is optional if all of its fields are.
func (s Schema) Inputs() []source.Input {
	var all inputs
	for _, f := range s {
		all.own(f)
		for _, t := range timesOf(f.Kind) {
			all.time(t, f)
		}
	}
	return all
}

// Input returns the position of a field's input in Inputs.
func (s Schema) Input(field int) (input int) {
	var all inputs
	for i, f := range s {
		if own := all.own(f); i == field {
			input = own
		}
		for _, t := range timesOf(f.Kind) {
			all.time(t, f)
		}
	}
	return input
}

// inputs are distinct inputs.
type inputs []source.Input

// own adds the input of a field, and returns its position.
func (all *inputs) own(f Field) int {
	_, typed := f.Kind.(Column)
	return all.add(source.Input{Name: cmp.Or(f.Input, f.Name), Value: f.Kind.value(), Typed: typed, Optional: f.Optional})
}

// time adds the input of a field's time, and returns its position; -1 for a time without an input.
func (all *inputs) time(t Time, f Field) int {
	if t.Input == "" {
		return -1
	}
	return all.add(source.Input{Name: t.Input, Value: true, Optional: f.Optional})
}

func (all *inputs) add(in source.Input) int {
	i := slices.IndexFunc(*all, func(x source.Input) bool {
		return strings.EqualFold(x.Name, in.Name) && x.Value == in.Value
	})
	if i < 0 {
		i = len(*all)
		*all = append(*all, in)
	}
	x := &(*all)[i]
	x.Optional, x.Typed = x.Optional && in.Optional, x.Typed || in.Typed
	return i
}

// leader returns the image field that a field follows. The error says why there is none.
func (s Schema) leader(like string) (Image, error) {
	i := s.Find(like)
	if i < 0 {
		names := make([]string, 0, len(s))
		for _, f := range s {
			if _, ok := f.Kind.(Image); ok {
				names = append(names, f.Name)
			}
		}
		return Image{}, &spool.OptionError{Options: invalid.With("Like", like),
			Text: fmt.Sprintf("no field has this name; the image fields are %s", strings.Join(names, ", "))}
	}
	leader, ok := s[i].Kind.(Image)
	if !ok {
		return Image{}, &spool.OptionError{Options: invalid.With("Like", like), Text: "is no image"}
	}
	if s[i].Optional {
		return Image{}, &spool.OptionError{Options: invalid.With("Like", like),
			Text: "is optional; fields that follow it would have no geometry"}
	}
	if leader.Ops.Moves() {
		return Image{}, &spool.OptionError{Options: invalid.With("Like", like),
			Text: "has Ops that move pixels; fields that follow it would stay where they are"}
	}
	return leader, nil
}

// inField adds the field's name to an error of a sample, but not to the end of a context. The name that is there stays:
// it is that of a field which follows this one.
func inField(name string, err error) error {
	if _, named := errors.AsType[*FieldError](err); named || err == nil || errors.Is(err, spool.ErrCanceled) {
		return err
	}
	return &FieldError{Field: name, Err: err}
}
