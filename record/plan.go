package record

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/decode/audio"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/order"
	"github.com/spoolmedia/spool/resize"
	"github.com/spoolmedia/spool/source"
)

// Plan is a valid schema, and what follows from it. It is immutable and safe for concurrent use.
type Plan struct {
	schema Schema
	inputs []source.Input
	whole  []int64 // largest size of an input that is read whole
	owned  []bool  // inputs whose objects Decode closes
	fields []field
	arrays []batch.Field
}

// field is a field with what follows from the schema.
type field struct {
	Field
	input  int      // position of its input
	times  []int    // positions of the inputs of its times; -1 for those without
	views  int      // results that are drawn differently, at least 1
	parts  []part   // of each view
	names  []string // of the parts, view by view
	array  int      // position of its first part among the arrays; -1 if its parts are of any length
	view   int      // number of its first view, among those that are drawn from its input
	group  []int    // of the first image field with an input: all image fields with it
	follow []int    // of an image or video: the fields that follow it
	spec   image.Spec
	leader *field // the image or video that it follows, or nil
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
	p := &Plan{schema: slices.Clone(s), fields: make([]field, len(s))}
	p.findInputs()
	first := make([]*field, len(p.inputs)) // image field, by input
	views := make([]int, len(p.inputs))
	for i, f := range s {
		x := &p.fields[i]
		x.parts, x.array, x.view = f.Kind.parts(s), -1, views[x.input]
		for _, o := range outputs(f.Name, s.views(f.Kind), x.parts) {
			x.names = append(x.names, o.Name)
		}
		x.views = len(x.names) / len(x.parts)
		switch k := f.Kind.(type) {
		case Image:
			x.spec = k.Spec
			views[x.input] += x.views
			if first[x.input] == nil {
				first[x.input] = x
			}
			first[x.input].group = append(first[x.input].group, i)
		case Video:
			views[x.input] += x.views
		case Audio:
			if k.Like == "" {
				views[x.input] += x.views
			}
		}
		if x.parts[0].array {
			x.array = len(p.arrays)
			for j, name := range x.names {
				p.arrays = append(p.arrays, batch.Field{Name: name, Sample: x.parts[j%len(x.parts)].sample})
			}
		}
	}
	p.link()
	return p
}

// findInputs finds the inputs of all fields, and how they are read.
func (p *Plan) findInputs() {
	var all inputs
	for i, f := range p.schema {
		x := &p.fields[i]
		x.Field, x.input = f, all.own(f)
		for _, t := range timesOf(f.Kind) {
			x.times = append(x.times, all.time(t, f))
		}
	}
	p.inputs, p.whole, p.owned = all, slices.Repeat([]int64{math.MaxInt64}, len(all)), make([]bool, len(all))
	for i := range p.fields {
		x := &p.fields[i]
		switch k := x.Kind.(type) {
		case Video:
			p.limit(x.input, segmented(k), 0)
		case Audio:
			leader := p.schema.Find(k.Like)
			p.limit(x.input, segmented(k) || leader >= 0 && segmented(p.schema[leader].Kind), decoders.ReadWhole)
		}
	}
}

// limit sets how an input with video or audio is read. parted reports that several records may have parts of it, and
// whole is the largest size at which it is then read whole.
func (p *Plan) limit(input int, parted bool, whole int64) {
	if parted {
		p.owned[input] = true
	} else {
		whole = decoders.ReadWhole
	}
	p.whole[input] = min(p.whole[input], whole)
}

// own returns the objects that Decode owns, by input.
func (p *Plan) own(inputs []spool.Object) []*shared {
	owned := make([]*shared, len(inputs))
	for i, object := range inputs {
		if object != nil && p.owned[i] {
			owned[i] = share(object)
		}
	}
	return owned
}

// link joins fields with those that they follow.
func (p *Plan) link() {
	for i := range p.fields {
		x := &p.fields[i]
		name := follows(x.Kind)
		if name == "" {
			continue
		}
		x.leader = &p.fields[p.schema.Find(name)]
		x.leader.follow = append(x.leader.follow, i)
		switch k := x.Kind.(type) {
		case Mask:
			x.spec = k.spec(x.leader.spec)
		case Instances:
			x.spec = Mask{}.spec(x.leader.spec)
		}
	}
	for i := range p.fields {
		slices.SortStableFunc(p.fields[i].follow, func(a, b int) int { return p.rank(a) - p.rank(b) })
	}
}

// rank orders fields that follow one image: those that follow boxes, too, come last.
func (p *Plan) rank(field int) int {
	if k, ok := p.fields[field].Kind.(Instances); ok && k.Boxes != "" {
		return 1
	}
	return 0
}

// name returns the name of a part of a view.
func (f *field) name(view, part int) string { return f.names[view*len(f.parts)+part] }

// follows returns the name of the image or video that a field of a kind follows; empty for none.
func follows(k FieldKind) string {
	switch k := k.(type) {
	case Mask:
		return k.Like
	case Boxes:
		return k.Like
	case Points:
		return k.Like
	case Instances:
		return k.Like
	case Audio:
		return k.Like
	}
	return ""
}

// part returns the memory of an array of a view.
func (r *run) part(f *field, view, part int) []byte { return r.dst(f.array + view*len(f.parts) + part) }

// Schema returns the fields. Callers must not change it.
func (p *Plan) Schema() Schema { return p.schema }

// Inputs returns the inputs that Decode takes, in order. Callers must not change it.
func (p *Plan) Inputs() []source.Input { return p.inputs }

// Whole returns the largest size of an input that is read whole before Decode, which reads parts of a larger one. It is
// for remote files: local ones of Owned inputs need not be read.
func (p *Plan) Whole(input int) int64 { return p.whole[input] }

// Owned reports whether Decode owns the objects of an input: it closes them, or keeps them with an open file. These
// are files of which several records may have parts.
func (p *Plan) Owned(input int) bool { return p.owned[input] }

// Segmented returns the plan for records that are parts of videos, so that many of them have parts of one file.
func (p *Plan) Segmented() *Plan {
	other := *p
	other.owned, other.whole = slices.Clone(p.owned), slices.Clone(p.whole)
	for i := range p.fields {
		switch x := &p.fields[i]; x.Kind.(type) {
		case Video:
			other.limit(x.input, true, 0)
		case Audio:
			other.limit(x.input, true, decoders.ReadWhole)
		}
	}
	return &other
}

// InInput adds the name of the first field with an input to an error of that input. A bad label has the name of its
// column, and a bad row none.
func (p *Plan) InInput(input int, err error) error {
	if row, ok := errors.AsType[*source.RowError](err); ok {
		if row.Column == "" {
			return err
		}
		return inField(row.Column, err)
	}
	i := slices.IndexFunc(p.fields, func(f field) bool { return f.input == input || slices.Contains(f.times, input) })
	return inField(p.fields[i].Name, err)
}

// Arrays returns the fields that are arrays, in the order of the schema: those of batches. Sides that vary are 0: see
// NewSizedPlan. Callers must not change it.
func (p *Plan) Arrays() []batch.Field { return p.arrays }

// Result is what decoding a record gives, except the arrays.
type Result struct {
	Values  []batch.Value // fields of any length, in the order of the schema
	Absent  []string      // optional fields without an input
	Damaged bool          // a part was lost: see image.Spec.Accept, and OnDamage of video.Spec and audio.Spec
	Blank   int           // padding: pixels outside of an image, those of frames that pad a clip, samples after audio

	// Region is the area of the first image or video that its first view shows, mirrored if FlipX or FlipY are set: see
	// image.Report.
	Region       resize.Region
	FlipX, FlipY bool

	// Warnings counts the irregularities that decoders reported but accepted. Warning is the text of the first.
	Warnings int
	Warning  string
}

// Describe sets the metadata of a sample, apart from its origin, to those of its record.
func (r *Result) Describe(s *batch.Sample) {
	s.Values, s.Absent, s.Blank = r.Values, r.Absent, r.Blank
	s.Crop = batch.Crop{Left: r.Region.Left, Top: r.Region.Top, Width: r.Region.Width, Height: r.Region.Height,
		FlipX: r.FlipX, FlipY: r.FlipY}
	s.Warnings, s.Warning = r.Warnings, r.Warning
	if r.Damaged {
		s.State = batch.Damaged
	}
}

// Decoders are what Decode uses. All are lent.
type Decoders struct {
	Images *image.Decoder
	Videos *video.Decoder // of schemas with a Video
	Audios *audio.Decoder // of schemas with Audio
	Open   *OpenFiles     // keeps files open for later records; nil: each is closed after its record

	// Ahead has videos that Prefetch has opened, or nil.
	Ahead *Ahead

	// Segment is the part of its files that the record is, of a Segmented plan; nil: the files. Fields of video and audio
	// without Start and End have it as their window, in seconds of the file's clock.
	Segment *source.Segment
}

// Decode decodes a record.
//
//	Input:   an object for each of Inputs; nil for an optional input that is absent. They are lent for the call, except
//	         for those of Owned inputs.
//	Result:  arrays are written to dst(i), by their position in Arrays; everything else is in Result.
//	Random:  by, which depends on the sample.
//	Errors:  *FieldError for bad input, and the end of ctx. The contents of the arrays are then unspecified.
func (p *Plan) Decode(ctx context.Context, d Decoders, inputs []spool.Object, dst func(array int) []byte,
	by order.Draw) (_ Result, err error) {
	r := run{Plan: p, ctx: ctx, decoders: d, inputs: inputs, dst: dst, draw: by, owned: p.own(inputs),
		values: make([][]batch.Value, len(p.fields)), kept: make([][][]int64, len(p.fields))}
	defer func() { err = errors.Join(err, r.finish()) }()
	for i := range p.fields {
		f := &p.fields[i]
		if f.leader != nil {
			continue // with its leader
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
