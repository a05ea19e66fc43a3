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
	ctx      context.Context
	decoders Decoders
	inputs   []spool.Object
	dst      func(array int) []byte
	draw     order.Draw
	values   [][]batch.Value // by field
	kept     [][][]int64     // by field of boxes and view: the positions of those that are kept
	result   Result
	cropped  bool         // result.Region is set
	opened   []*OpenVideo // in use by this record
	owned    []*shared    // by input: the objects that the record owns, or nil
}

// field decodes a field that follows none, and those that follow it.
func (r *run) field(i int) error {
	f := &r.fields[i]
	if r.inputs[f.input] == nil {
		return r.absent(i)
	}
	switch f.Kind.(type) {
	case Image:
		if f.group == nil {
			return nil // with the first image field of the input
		}
		return r.images(f.input, f.group)
	case Video:
		return r.video(i)
	case Audio:
		return r.audio(i)
	}
	return r.plain(i)
}

// absent gives a field without an input its default.
func (r *run) absent(i int) error {
	f := &r.fields[i]
	if !f.Optional {
		return &spool.Error{Op: "decode", Class: spool.ErrNotFound, Text: "the sample lacks it"}
	}
	r.result.Absent = append(r.result.Absent, f.Name)
	r.values[i] = f.absent()
	return f.blank(r.ctx, r.decoders.Images, r.dst)
}

// absent returns the values of a field of any length that is absent.
func (f *field) absent() (values []batch.Value) {
	if f.array >= 0 {
		return nil
	}
	for _, name := range f.names {
		values = append(values, batch.Value{Field: name})
	}
	return values
}

// blank fills the arrays of a field as if it were absent. Fields of any length have none.
func (f *field) blank(ctx context.Context, d *image.Decoder, dst func(int) []byte) error {
	switch k := f.Kind.(type) {
	case Image, Mask:
		if !fixed(f.spec) {
			return nil // an absent image has no pixels
		}
		for view := range f.views {
			if err := d.Blank(ctx, dst(f.array+view), f.spec); err != nil {
				return err
			}
		}
	case Number:
		n, _ := k.Shape.Elems()
		for j := range n {
			k.put(dst(f.array), j, k.Default)
		}
	case Video:
		return k.blank(ctx, d, f, dst)
	case Audio:
		for j := range f.names {
			clear(dst(f.array + j))
		}
	}
	return nil
}

// shown is what a decoder made of a view of an image: the geometry that other fields follow.
type shown struct {
	width, height int         // of the upright image
	spec          resize.Spec // with the drawn values
	report        image.Report
}

// images decodes the views of all image fields with an input at once, and the fields that follow them.
func (r *run) images(input int, fields []int) error {
	total := 0
	for _, i := range fields {
		total += r.fields[i].views
	}
	all, views := make([]shown, total), make([]image.View, 0, total)
	for _, i := range fields {
		f := &r.fields[i]
		for view := range f.views {
			spec := r.drawn(f, view, &all[len(views)])
			views = append(views, image.View{Spec: spec, Dst: r.dst(f.array + view)})
		}
	}
	reports, err := r.decode(input, views)
	if err != nil {
		return inField(r.fields[fields[0]].Name, err)
	}
	for k := range all {
		all[k].report = reports[k]
	}
	r.note(reports[0])
	r.show(reports[0].Region, reports[0].FlipX, reports[0].FlipY)
	for _, i := range fields {
		f := &r.fields[i]
		for _, s := range all[:f.views] {
			r.result.Blank += blank(s.report)
		}
		for _, j := range f.follow {
			if err := r.follow(j, all[:f.views]); err != nil {
				return inField(r.fields[j].Name, err)
			}
		}
		all = all[f.views:]
	}
	return nil
}

// decode decodes views of an input.
func (r *run) decode(input int, views []image.View) ([]image.Report, error) {
	if len(views) > 1 {
		return r.decoders.Images.DecodeViews(r.ctx, r.inputs[input], views)
	}
	report, err := r.decoders.Images.DecodeInto(r.ctx, r.inputs[input], views[0].Dst, views[0].Spec)
	return []image.Report{report}, err
}

// drawn returns the spec of a view of an image, which draws its geometry and writes it to s.
func (r *run) drawn(f *field, view int, s *shown) image.Spec {
	kind, spec, by := f.Kind.(Image), f.spec, r.draw
	by.View = f.view + view
	s.spec = spec.Resize
	spec.Adjust = kind.Ops.Steps(by)
	augments := kind.Augment != (resize.Augment{})
	if !augments && len(f.follow) == 0 {
		return spec
	}
	spec.Draw = func(width, height int) (_ resize.Spec, err error) {
		s.width, s.height = width, height
		if augments {
			s.spec, err = f.Kind.(Image).Augment.Draw(f.spec.Resize, by, width, height) // of f: kind would escape
		}
		return s.spec, err
	}
	return spec
}

// note adds an image's report to the result.
func (r *run) note(report image.Report) {
	r.warn(report.Warnings, report.Warning)
	r.result.Damaged = r.result.Damaged || report.Damaged
}

// warn adds warnings to the result, with the text of the first.
func (r *run) warn(n int, first string) {
	if r.result.Warnings == 0 {
		r.result.Warning = first
	}
	r.result.Warnings += n
}

// show adds what the first image or video shows.
func (r *run) show(region resize.Region, flipX, flipY bool) {
	if !r.cropped {
		r.cropped = true
		r.result.Region, r.result.FlipX, r.result.FlipY = region, flipX, flipY
	}
}

// follow decodes a field that follows an image, of which views were shown.
func (r *run) follow(i int, views []shown) error {
	f := &r.fields[i]
	if r.inputs[f.input] == nil {
		return r.absent(i)
	}
	switch k := f.Kind.(type) {
	case Boxes:
		return r.boxes(i, k, views)
	case Points:
		return r.points(i, views)
	case Instances:
		return r.instances(i, k, views)
	}
	return r.mask(f, views)
}

// mask decodes a mask with the geometry of an image's views.
func (r *run) mask(f *field, shown []shown) error {
	views := make([]image.View, len(shown))
	for v := range shown {
		spec := f.spec
		spec.Draw = func(width, height int) (resize.Spec, error) { return shown[v].like(f.spec.Resize, width, height) }
		views[v] = image.View{Spec: spec, Dst: r.dst(f.array + v)}
	}
	reports, err := r.decode(f.input, views)
	if err == nil {
		r.note(reports[0])
	}
	return err
}

// like returns the geometry of a mask of width x height pixels: that of the image, with the filter and the colors of
// base. The crop of a mask of another size has the same place, relative to the size.
func (s shown) like(base resize.Spec, width, height int) (resize.Spec, error) {
	r := s.spec
	r.Filter, r.Profile, r.Bits, r.PadColor = base.Filter, base.Profile, base.Bits, base.PadColor
	if width == s.width && height == s.height {
		return r, nil
	}
	if !r.Resizes() && r.CropWidth != 0 {
		return resize.Spec{}, &spool.Error{Op: "decode", Class: spool.ErrUnsupported,
			Text: fmt.Sprintf("%dx%d, and the image is %dx%d: without a resize, both need one size", width, height, s.width,
				s.height)}
	}
	if r.Width == 0 && r.CropWidth == 0 { // rounding could give another size than the image's
		height, width := sides(s.report.Desc)
		r = r.WithSize(width, height)
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
	return spool.ReadAll(r.ctx, r.inputs[r.fields[i].input], nil, r.decoders.Images.Limits().MaxBytes)
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
		return spool.InFile(k.parse(r.dst(f.array), data, bad), r.inputs[f.input].Info().Name)
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
