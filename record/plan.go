package record

import (
	"context"
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
	input  int      // position of its input
	views  int      // results that are drawn differently, at least 1
	parts  []part   // of each view
	names  []string // of the parts, view by view
	array  int      // position of its first part among the arrays; -1 if its parts are of any length
	view   int      // of an image: number of its first view, among those of its input
	group  []int    // of the first image field with an input: all image fields with it
	follow []int    // of an image: the fields that follow it
	spec   image.Spec
	leader *field // the image that it follows, or nil
}

// NewPlan checks a schema.
func NewPlan(s Schema) (*Plan, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	p := &Plan{schema: slices.Clone(s), fields: make([]field, len(s))}
	inputs, of := s.Inputs()
	p.inputs = inputs
	first := make([]*field, len(inputs)) // image field, by input
	views := make([]int, len(inputs))
	for i, f := range s {
		x := &p.fields[i]
		*x = field{Field: f, input: of[i], parts: f.Kind.parts(s), array: -1, view: views[of[i]]}
		x.names = names(f.Name, s.views(f.Kind), x.parts)
		x.views = len(x.names) / len(x.parts)
		if k, ok := f.Kind.(Image); ok {
			x.spec = k.Spec
			views[x.input] += x.views
			if first[x.input] == nil {
				first[x.input] = x
			}
			first[x.input].group = append(first[x.input].group, i)
		}
		if x.parts[0].array {
			x.array = len(p.arrays)
			for j, name := range x.names {
				p.arrays = append(p.arrays, batch.Field{Name: name, Sample: x.parts[j%len(x.parts)].sample})
			}
		}
	}
	p.link()
	return p, nil
}

// link joins fields with the images that they follow.
func (p *Plan) link() {
	for i := range p.fields {
		x := &p.fields[i]
		name := follows(x.Kind)
		if name == "" {
			continue
		}
		x.leader = &p.fields[p.schema.Find(name)]
		x.leader.follow = append(x.leader.follow, i)
		if k, ok := x.Kind.(Mask); ok {
			x.spec = k.spec(x.leader.spec)
		}
	}
}

// name returns the name of a part of a view.
func (f *field) name(view, part int) string { return f.names[view*len(f.parts)+part] }

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

// Arrays returns the fields of a fixed size, in the order of the schema: those of batches. Callers must not change it.
func (p *Plan) Arrays() []batch.Field { return p.arrays }

// Result is what decoding a record gives, except the arrays.
type Result struct {
	Values  []batch.Value // fields of any length, in the order of the schema
	Absent  []string      // optional fields without an input
	Damaged bool          // a part of an image was lost: see image.Spec.Accept

	// Region is the area of the first image that its first view shows, mirrored if FlipX or FlipY are set: see
	// image.Report.
	Region       resize.Region
	FlipX, FlipY bool

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
	for i := range p.fields {
		f := &p.fields[i]
		if f.leader != nil {
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
		if err := p.fields[i].blank(ctx, d, dst); err != nil {
			return err
		}
	}
	return nil
}

// Absent returns the values of a record without any field.
func (p *Plan) Absent() (values []batch.Value) {
	for i := range p.fields {
		values = append(values, p.fields[i].absent()...)
	}
	return values
}
