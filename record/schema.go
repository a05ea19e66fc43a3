package record

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/invalid"
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
	// Kind is how the input is decoded: Image, Mask, Boxes, Points, Text, JSON, Number, Bytes or Column.
	Kind Kind
}

// Kind is how a field's input is decoded. This package has all implementations.
type Kind interface {
	// word is the kind's name in messages, and in schemas as text.
	word() string
	// validate adds the problems of a field of this kind.
	validate(s Schema, bad *invalid.Options)
	// value reports whether a column of a table holds the field itself, and not where its bytes are.
	value() bool
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

// Find returns the position of a field, or -1.
func (s Schema) Find(name string) int {
	return slices.IndexFunc(s, func(f Field) bool { return f.Name == name })
}

// Validate reports all problems of the schema, each of which names its field.
func (s Schema) Validate() error {
	var bad invalid.Options
	if len(s) == 0 {
		bad.Addf("a schema needs at least one field")
	}
	arrays := false
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
		_, isArray := f.Kind.(array)
		arrays = arrays || isArray
	}
	if len(s) > 0 && !arrays {
		bad.Addf("a schema needs at least one field of a fixed size: an image, a mask or a number")
	}
	return bad.Err()
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

// Inputs returns the distinct inputs of the schema's fields, and for each field the position of its input. An input is
// optional if all of its fields are.
func (s Schema) Inputs() (inputs []source.Input, of []int) {
	of = make([]int, len(s))
	for i, f := range s {
		_, typed := f.Kind.(Column)
		in := source.Input{Name: f.Input, Value: f.Kind.value(), Typed: typed, Optional: f.Optional}
		if in.Name == "" {
			in.Name = f.Name
		}
		of[i] = slices.IndexFunc(inputs, func(x source.Input) bool {
			return strings.EqualFold(x.Name, in.Name) && x.Value == in.Value
		})
		if of[i] < 0 {
			of[i] = len(inputs)
			inputs = append(inputs, in)
		}
		inputs[of[i]].Optional = inputs[of[i]].Optional && in.Optional
		inputs[of[i]].Typed = inputs[of[i]].Typed || in.Typed
	}
	return inputs, of
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
