package record

import (
	"context"
	"fmt"
	"slices"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/order"
	"github.com/spoolmedia/spool/resize"
	"github.com/spoolmedia/spool/source"
)

// Plan is a valid schema, and what follows from it. It is immutable and safe for concurrent use.
type Plan struct {
	schema Schema
	inputs []source.Input
	fields []field
	arrays []batch.Field
}

// field is a field with what follows from the schema.
type field struct {
	Field
	input  int   // position of its input
	array  int   // position of its first view among the arrays; -1 for a field of any length
	views  int   // 0: one, whose name is the field's
	view   int   // number of an image's first view, among those of its input
	follow []int // of an image: the fields that follow it
}

// NewPlan checks a schema, whose arrays have fixed sizes.
func NewPlan(s Schema) (*Plan, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	return newPlan(s), nil
}

// newPlan returns the plan of a valid schema.
func newPlan(s Schema) *Plan {
	p := &Plan{schema: slices.Clone(s)}
	inputs, of := s.Inputs()
	p.inputs = inputs
	views := make([]int, len(inputs))
	for i, f := range s {
		x := field{Field: f, input: of[i], array: -1, view: views[of[i]]}
		if leader, _ := s.leader(follows(f.Kind)); follows(f.Kind) != "" {
			x.views = leader.Views
		}
		if k, ok := f.Kind.(Image); ok {
			x.views = k.Views
			views[of[i]] += max(1, k.Views)
			for j := range s {
				if follows(s[j].Kind) == f.Name {
					x.follow = append(x.follow, j)
				}
			}
		}
		if a, ok := f.Kind.(array); ok {
			x.array = len(p.arrays)
			for v := range max(1, x.views) {
				p.arrays = append(p.arrays, batch.Field{Name: x.name(v), Sample: a.sample(s)})
			}
		}
		p.fields = append(p.fields, x)
	}
	return p
}

// name returns the name of a view.
func (f *field) name(view int) string {
	if f.views == 0 {
		return f.Name
	}
	return fmt.Sprintf("%s.%d", f.Name, view)
}

// follows returns the name of the image that a field of a kind follows; empty for none.
func follows(k Kind) string {
	switch k := k.(type) {
	case Mask:
		return k.Like
	case Boxes:
		return k.Like
	case Points:
		return k.Like
	}
	return ""
}

// Schema returns the fields. Callers must not change it.
func (p *Plan) Schema() Schema { return p.schema }

// Inputs returns the inputs that Decode takes, in order. Callers must not change it.
func (p *Plan) Inputs() []source.Input { return p.inputs }

// InInput adds the name of the first field with an input to an error of that input.
func (p *Plan) InInput(input int, err error) error {
	i := slices.IndexFunc(p.fields, func(f field) bool { return f.input == input })
	return inField(p.fields[i].Name, err)
}

// Arrays returns the fields that are arrays, in the order of the schema: those of batches. Sides that vary are 0: see
// NewSizedPlan. Callers must not change it.
func (p *Plan) Arrays() []batch.Field { return p.arrays }

// Drawn returns the names of the image fields whose geometry is random.
func (p *Plan) Drawn() (names []string) {
	for _, f := range p.fields {
		if k, ok := f.Kind.(Image); ok && k.Augment != (resize.Augment{}) {
			names = append(names, f.Name)
		}
	}
	return names
}

// Result is what decoding a record gives, except the arrays.
type Result struct {
	Values  []batch.Value // fields of any length, in the order of the schema
	Absent  []string      // optional fields without an input
	Crop    batch.Crop    // of the first view of the first image
	Damaged bool          // a part of an image was lost: see image.Spec.Accept
	Blank   int           // pixels of images that are outside of the image: padding

	// Warnings counts the irregularities that decoders reported but accepted. Warning is the text of the first.
	Warnings int
	Warning  string
}

// Decode decodes a record.
//
//	Input:   an object for each of Inputs; nil for an optional input that is absent. They are lent for the call.
//	Result:  arrays are written to dst(i), by their position in Arrays; everything else is in Result.
//	Random:  by, which depends on the sample.
//	Errors:  *FieldError for bad input, and the end of ctx. The contents of the arrays are then unspecified.
func (p *Plan) Decode(ctx context.Context, d *image.Decoder, inputs []spool.Object, dst func(array int) []byte,
	by order.Draw) (Result, error) {
	r := run{Plan: p, ctx: ctx, decoder: d, inputs: inputs, dst: dst, draw: by,
		values: make([][]batch.Value, len(p.fields))}
	for i, f := range p.fields {
		if follows(f.Kind) != "" {
			continue // with its image
		}
		if err := r.field(i); err != nil {
			return Result{}, inField(f.Name, err)
		}
	}
	for _, values := range r.values {
		r.result.Values = append(r.result.Values, values...)
	}
	return r.result, nil
}

// Blank fills the arrays of a record as if all of its fields were absent.
func (p *Plan) Blank(ctx context.Context, d *image.Decoder, dst func(array int) []byte) error {
	for i := range p.fields {
		if err := p.blank(ctx, d, i, dst); err != nil {
			return err
		}
	}
	return nil
}

// Absent returns the values of a record without any field.
func (p *Plan) Absent() (values []batch.Value) {
	for _, f := range p.fields {
		if f.array < 0 {
			values = append(values, f.absent()...)
		}
	}
	return values
}
