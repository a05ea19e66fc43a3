package record

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/order"
	"github.com/spoolmedia/spool/resize"
)

// run is the decoding of one record.
type run struct {
	*Plan
	ctx     context.Context
	decoder *image.Decoder
	inputs  []spool.Object
	dst     func(array int) []byte
	draw    order.Draw
	values  [][]batch.Value // by field
	result  Result
	cropped bool // result.Crop is set
}

// field decodes a field that follows none, and those that follow it.
func (r *run) field(i int) error {
	f := &r.fields[i]
	if r.inputs[f.input] == nil {
		return r.absent(i)
	}
	if _, isImage := f.Kind.(Image); !isImage {
		return r.plain(i)
	}
	if f.view > 0 {
		return nil // with the first image field of the input
	}
	return r.images(f.input)
}

// absent gives a field without an input its default.
func (r *run) absent(i int) error {
	f := &r.fields[i]
	if !f.Optional {
		return &spool.Error{Op: "decode", Class: spool.ErrNotFound, Text: "the sample lacks it"}
	}
	r.result.Absent = append(r.result.Absent, f.Name)
	if f.array < 0 {
		r.values[i] = f.absent()
		return nil
	}
	return r.blank(r.ctx, r.decoder, i, r.dst)
}

// absent returns the values of a field of any length that is absent.
func (f *field) absent() (values []batch.Value) {
	for view := range max(1, f.views) {
		name := f.name(view)
		values = append(values, batch.Value{Field: name})
		if _, ok := f.Kind.(Boxes); ok {
			values = append(values, batch.Value{Field: name + ".labels"}, batch.Value{Field: name + ".index"})
		}
	}
	return values
}

// blank fills the arrays of a field as if it were absent. Fields of any length have none.
func (p *Plan) blank(ctx context.Context, d *image.Decoder, i int, dst func(int) []byte) error {
	f := &p.fields[i]
	var spec image.Spec
	switch k := f.Kind.(type) {
	case Image:
		spec = k.Spec
	case Mask:
		leader, _ := p.schema.leader(k.Like)
		spec = k.spec(leader.Spec)
	case Number:
		n, _ := k.Shape.Elems()
		for j := range n {
			k.put(dst(f.array), j, k.Default)
		}
		return nil
	default:
		return nil
	}
	if !fixed(spec) {
		return nil // an absent image has no pixels
	}
	for view := range max(1, f.views) {
		if err := d.Blank(ctx, dst(f.array+view), spec); err != nil {
			return err
		}
	}
	return nil
}

// shown is what a decoder made of an image: the geometry that other fields follow.
type shown struct {
	field         *field
	view          int
	width, height int         // of the upright image
	spec          resize.Spec // with the drawn values
	report        image.Report
}

// images decodes the views of all image fields with an input at once, and the fields that follow them.
func (r *run) images(input int) error {
	var (
		views []image.View
		all   []*shown
	)
	for i := range r.fields {
		f := &r.fields[i]
		k, ok := f.Kind.(Image)
		if !ok || f.input != input {
			continue
		}
		for view := range max(1, k.Views) {
			s := &shown{field: f, view: view, spec: k.Spec.Resize}
			all = append(all, s)
			views = append(views, image.View{Spec: r.drawn(k, s), Dst: r.dst(f.array + view)})
		}
	}
	reports, err := r.decode(input, views)
	if err != nil {
		return inField(all[0].field.Name, err)
	}
	r.note(reports[0])
	for i, s := range all {
		s.report = reports[i]
		r.result.Blank += blank(s.report)
		if !r.cropped {
			r.cropped = true
			region := s.report.Region
			r.result.Crop = batch.Crop{Left: region.Left, Top: region.Top, Width: region.Width, Height: region.Height,
				FlipX: s.report.FlipX, FlipY: s.report.FlipY}
		}
		for _, i := range s.field.follow {
			if err := r.follow(i, s.field.Kind.(Image), *s); err != nil {
				return inField(r.fields[i].Name, err)
			}
		}
	}
	return nil
}

// decode decodes views of an input.
func (r *run) decode(input int, views []image.View) ([]image.Report, error) {
	if len(views) > 1 {
		return r.decoder.DecodeViews(r.ctx, r.inputs[input], views)
	}
	report, err := r.decoder.DecodeInto(r.ctx, r.inputs[input], views[0].Dst, views[0].Spec)
	return []image.Report{report}, err
}

// drawn returns the spec of a view, which draws its geometry and writes it to s.
func (r *run) drawn(k Image, s *shown) image.Spec {
	spec, by := k.Spec, r.draw
	by.View = s.field.view + s.view
	augments := k.Augment != (resize.Augment{})
	if !augments && len(s.field.follow) == 0 {
		return spec
	}
	spec.Draw = func(width, height int) (resize.Spec, error) {
		s.width, s.height = width, height
		if !augments {
			return s.spec, nil
		}
		var err error
		s.spec, err = k.Augment.Draw(k.Spec.Resize, by, width, height)
		return s.spec, err
	}
	return spec
}

// note adds an image's report to the result.
func (r *run) note(report image.Report) {
	if r.result.Warnings == 0 {
		r.result.Warning = report.Warning
	}
	r.result.Warnings += report.Warnings
	r.result.Damaged = r.result.Damaged || report.Damaged
}

// follow decodes a field that follows an image.
func (r *run) follow(i int, leader Image, s shown) error {
	f := &r.fields[i]
	if r.inputs[f.input] == nil {
		if s.view > 0 {
			return nil
		}
		return r.absent(i)
	}
	switch k := f.Kind.(type) {
	case Mask:
		spec := k.spec(leader.Spec)
		spec.Draw = func(width, height int) (resize.Spec, error) { return s.like(spec.Resize, width, height) }
		report, err := r.decoder.DecodeInto(r.ctx, r.inputs[f.input], r.dst(f.array+s.view), spec)
		if err == nil {
			r.note(report)
		}
		return err
	case Boxes:
		return r.boxes(i, k, leader, s)
	case Points:
		return r.points(i, k, leader, s)
	}
	panic("record: a kind that follows nothing")
}

// like returns the geometry of a mask of width x height pixels: that of the image, with the filter and the colors of
// base. The crop of a mask of another size has the same place, relative to the size.
func (s shown) like(base resize.Spec, width, height int) (resize.Spec, error) {
	r := s.spec
	r.Filter, r.Profile, r.Bits, r.PadColor = base.Filter, base.Profile, base.Bits, base.PadColor
	if width == s.width && height == s.height {
		return r, nil
	}
	if r.Width == 0 && r.Shorter == 0 && r.CropWidth != 0 {
		return resize.Spec{}, &spool.Error{Op: "decode", Class: spool.ErrUnsupported,
			Text: fmt.Sprintf("%dx%d, and the image is %dx%d: without a resize, both need one size", width, height, s.width,
				s.height)}
	}
	if r.Width == 0 && r.CropWidth == 0 { // rounding could give another size than the image's
		height, width := sides(s.report.Desc)
		r = r.Exactly(width, height)
	}
	if b := r.Box; b != (resize.Rect{}) {
		left, right := scaled(b.Left, b.Left+b.Width, s.width, width)
		top, bottom := scaled(b.Top, b.Top+b.Height, s.height, height)
		r.Box = resize.Rect{Left: left, Top: top, Width: right - left, Height: bottom - top}
	}
	return r, nil
}

// scaled returns the edges of a range of pixels at another size, at least one pixel apart.
func scaled(from, to, size, other int) (int, int) {
	scale := float64(other) / float64(size)
	a, b := int(math.Round(float64(from)*scale)), int(math.Round(float64(to)*scale))
	a = min(a, other-1)
	return a, min(max(b, a+1), other)
}

// read returns a copy of a field's input.
func (r *run) read(i int) ([]byte, error) {
	return spool.ReadAll(r.ctx, r.inputs[r.fields[i].input], nil, r.decoder.Limits().MaxBytes)
}

// plain decodes a field that is no image and follows none.
func (r *run) plain(i int) error {
	f := &r.fields[i]
	data, err := r.read(i)
	if err != nil {
		return err
	}
	bad := func(format string, args ...any) error {
		return &spool.Error{Op: "decode", File: r.inputs[f.input].Info().Name, Class: spool.ErrCorrupt,
			Text: fmt.Sprintf(format, args...)}
	}
	switch k := f.Kind.(type) {
	case Number:
		return k.parse(r.dst(f.array), data, bad)
	case Text:
		if !utf8.Valid(data) {
			return bad("is not UTF-8")
		}
	case JSON:
		if !json.Valid(data) {
			return bad("is not JSON")
		}
	}
	r.values[i] = []batch.Value{{Field: f.Name, Desc: spool.Desc{Shape: spool.Shape{len(data)}, DType: spool.Uint8},
		Data: data}}
	return nil
}
