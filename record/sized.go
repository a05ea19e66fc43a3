package record

import (
	"context"
	"slices"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/order"
	"github.com/spoolmedia/spool/resize"
)

// NewSizedPlan is NewPlan for a schema whose images may have any size, such as their own, and whose video and audio may
// have any length. These sides of arrays are 0 in Arrays, and Measure returns those of a record. Masks have the size of
// their image. An absent image has no pixels, and absent video and audio have no length.
func NewSizedPlan(s Schema) (*Plan, error) {
	if err := s.ValidateSized(); err != nil {
		return nil, err
	}
	return newPlan(s), nil
}

// Measure returns the arrays of a record with the sizes that Decode gives them. It reads the headers of images and
// audio, and the indexes of videos. Arguments and errors are those of Decode, but all inputs are lent.
func (p *Plan) Measure(ctx context.Context, d Decoders, inputs []spool.Object, by order.Draw) ([]batch.Field, error) {
	arrays := slices.Clone(p.arrays)
	r := run{Plan: p, ctx: ctx, decoders: d, inputs: inputs, draw: by}
	for i := range p.fields {
		f := &p.fields[i]
		if n, err := r.length(f); err != nil {
			return nil, inField(f.Name, err)
		} else if n > 0 {
			f.lengthen(arrays[f.array:f.array+len(f.parts)], n)
			continue
		}
		if _, ok := f.Kind.(Image); !ok || fixed(f.spec) || inputs[f.input] == nil {
			continue
		}
		for view := range f.views {
			report, err := d.Images.Measure(ctx, inputs[f.input], r.drawn(f, view, new(shown)))
			if err != nil {
				return nil, inField(f.Name, err)
			}
			arrays[f.array+view].Sample = report.Desc
			for _, j := range f.follow {
				if mask, ok := p.fields[j].Kind.(Mask); ok && inputs[p.fields[j].input] != nil {
					arrays[p.fields[j].array+view].Sample = mask.like(f.spec, report.Desc)
				}
			}
		}
	}
	return arrays, nil
}

// length returns the length of a video or audio field whose length varies, in frames or samples; 0 for other fields,
// and those that are absent.
func (r *run) length(f *field) (int, error) {
	if r.inputs[f.input] == nil {
		return 0, nil
	}
	switch k := f.Kind.(type) {
	case Video:
		if k.Frames == AllFrames {
			return r.videoLength(f)
		}
	case Audio:
		if k.Spec.Length == 0 {
			return r.audioLength(f)
		}
	}
	return 0, nil
}

// lengthen sets the arrays of a field to a length.
func (f *field) lengthen(arrays []batch.Field, n int) {
	switch k := f.Kind.(type) {
	case Video:
		for j, p := range k.clip(n) {
			arrays[j].Sample = p.sample
		}
	case Audio:
		arrays[0].Sample = k.sample(n)
	}
}

// Length returns the length of the window of a video field in frames, as AllFrames gives it, or that of an audio field
// in samples, whatever length the field has. Arguments and errors are those of Measure.
func (p *Plan) Length(ctx context.Context, d Decoders, inputs []spool.Object, name string) (n int, err error) {
	r := run{Plan: p, ctx: ctx, decoders: d, inputs: inputs}
	f := &p.fields[p.schema.Find(name)]
	switch {
	case inputs[f.input] == nil:
		err = &spool.Error{Op: "decode", Class: spool.ErrNotFound, Text: "the sample lacks it"}
	case slices.Contains(p.Clips(), f.array):
		n, err = r.videoLength(f)
	default:
		n, err = r.audioLength(f)
	}
	return n, inField(name, err)
}

// Clips returns the positions of the frames of video fields in Arrays, those of all clips.
func (p *Plan) Clips() (arrays []int) {
	for _, f := range p.fields {
		if _, ok := f.Kind.(Video); ok {
			for view := range f.views {
				arrays = append(arrays, f.array+view*len(f.parts))
			}
		}
	}
	return arrays
}

// Audios returns the positions of the samples of audio fields in Arrays, those of all windows.
func (p *Plan) Audios() (arrays []int) {
	for _, f := range p.fields {
		if _, ok := f.Kind.(Audio); ok {
			for view := range f.views {
				arrays = append(arrays, f.array+view*len(f.parts))
			}
		}
	}
	return arrays
}

// like describes a mask of an image with a spec, whose result is described by leader.
func (k Mask) like(leader image.Spec, result spool.Desc) spool.Desc {
	height, width := sides(result)
	spec := k.spec(leader)
	spec.Resize = spec.Resize.WithSize(width, height)
	return k.describe(spec, sample(spec))
}

// Images returns the positions of image fields in Arrays, those of all views.
func (p *Plan) Images() (arrays []int) {
	for _, f := range p.fields {
		if _, ok := f.Kind.(Image); ok {
			for view := range f.views {
				arrays = append(arrays, f.array+view)
			}
		}
	}
	return arrays
}

// Padding returns the bytes of one element of the padding of an array: a mask's Fill, and nil for zeros in others.
func (p *Plan) Padding(array int) []byte {
	for _, f := range p.fields {
		if k, ok := f.Kind.(Mask); ok && array >= f.array && array < f.array+f.views {
			return []byte{k.Fill}
		}
	}
	return nil
}

// fixed reports whether a valid spec fixes the size of its results.
func fixed(s image.Spec) bool {
	_, ok := s.Sample()
	return ok
}

// sample describes the result of a spec. Its sides are 0 if they vary.
func sample(s image.Spec) spool.Desc {
	if d, ok := s.Sample(); ok {
		return d
	}
	s.Resize = s.Resize.WithSize(1, 1)
	d, _ := s.Sample()
	d.Shape = slices.Clone(d.Shape)
	rows := 0
	if d.Layout == spool.CHW {
		rows = 1
	}
	d.Shape[rows], d.Shape[rows+1] = 0, 0
	return d
}

// sides returns the height and the width of an image.
func sides(d spool.Desc) (height, width int) {
	if d.Layout == spool.CHW {
		return d.Shape[1], d.Shape[2]
	}
	return d.Shape[0], d.Shape[1]
}

// blank returns how many pixels of a result show nothing of the image.
func blank(r image.Report) int {
	height, width := sides(r.Desc)
	w, h := r.Info.Oriented()
	area := r.Region
	across := min(area.Left+area.Width, float64(w)) - max(area.Left, 0)
	down := min(area.Top+area.Height, float64(h)) - max(area.Top, 0)
	all := height * width
	return all - int(float64(all)*(across/area.Width)*(down/area.Height)+0.5)
}

// Upright returns the size of an image field's image, upright, from its header. Arguments and errors are those of
// Decode.
func (p *Plan) Upright(ctx context.Context, d *image.Decoder, inputs []spool.Object, name string) (width, height int,
	err error) {
	f := &p.fields[p.schema.Find(name)]
	object := inputs[f.input]
	if object == nil {
		return 0, 0, inField(name, &spool.Error{Op: "decode", Class: spool.ErrNotFound, Text: "the sample lacks it"})
	}
	spec := f.Kind.(Image).Spec
	report, err := d.Measure(ctx, object, image.Spec{Frame: spec.Frame, Stored: spec.Stored, Allow: spec.Allow,
		Resize: resize.Spec{Profile: spec.Resize.Profile}})
	if err != nil {
		return 0, 0, inField(name, err)
	}
	width, height = report.Info.Oriented()
	return width, height, nil
}
