package image

import (
	"context"
	"fmt"
	"slices"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/image/format"
	"github.com/spoolmedia/spool/decode/internal/failure"
	"github.com/spoolmedia/spool/resize"
)

// View is one of several results of an image.
type View struct {
	Spec Spec
	Dst  []byte // has exactly the size of the result: see Decoder.DecodeInto
}

// DecodeViews decodes an image to several results, such as random crops, each equal to that of DecodeInto. It returns a
// report for each.
//
// The area that the views need together is decoded once and kept as bytes, if the views differ in Resize, Draw, DType,
// Mean, Std and Layout only. It is not for profile fast, whose results have no such bytes in common, for colors with
// alpha, and for results of more than 8 bits from such images: each view is then decoded by itself.
//
// Errors are those of DecodeInto. Cost: one decode, a resize for each view, and memory for the area, 3 bytes a pixel.
func (d *Decoder) DecodeViews(ctx context.Context, object spool.Object, views []View) (reports []Report, err error) {
	err = d.reading(ctx, object, func(data []byte) error {
		if len(views) > 0 && d.isolated(ctx, data, views[0].Spec.Allow) {
			reports, err = d.viewsInHelper(ctx, data, views)
		} else {
			reports, err = d.cropped(ctx, data, slices.Clone(views))
		}
		return err
	})
	return reports, err
}

func (d *Decoder) views(ctx context.Context, data []byte, views []View) ([]Report, error) {
	if !alike(views) {
		return d.separately(ctx, data, views)
	}
	shared, drawn := sharedSpec(views)
	p, err := d.open(ctx, data, shared)
	if err != nil {
		return nil, err
	}
	for i := range views { // the geometry was drawn, for an image of this size
		views[i].Spec.Resize = drawn[i]
		views[i].Spec.Draw = func(int, int) (resize.Spec, error) { return drawn[i], nil }
	}
	if deep(p, views) {
		return d.separately(ctx, data, views)
	}
	n, _ := p.desc.Bytes()
	buffer, err := d.pixels.GetFor(ctx, n, spool.Pixels)
	if err != nil {
		return nil, failure.Ended(ctx, err)
	}
	defer buffer.Release()
	area := buffer.Bytes()[:n]
	whole, err := d.run(ctx, p, area, n)
	if err != nil {
		return nil, err
	}
	reports := make([]Report, len(views))
	for i, v := range views {
		if reports[i], err = d.view(ctx, area, p, v); err != nil {
			return nil, err
		}
		r := &reports[i]
		r.Info, r.Damaged, r.Fraction, r.Trace = whole.Info, whole.Damaged, whole.Fraction, whole.Trace
		r.Warnings, r.Warning = whole.Warnings, whole.Warning
	}
	return reports, nil
}

// separately decodes each view by itself.
func (d *Decoder) separately(ctx context.Context, data []byte, views []View) ([]Report, error) {
	reports := make([]Report, len(views))
	for i, v := range views {
		if err := d.into(ctx, data, v, &reports[i]); err != nil {
			return nil, err
		}
	}
	return reports, nil
}

// into decodes one view by itself.
func (d *Decoder) into(ctx context.Context, data []byte, v View, report *Report) error {
	if v.Spec.Crops != resize.OneCrop {
		reports, err := d.cropped(ctx, data, []View{v})
		if err == nil {
			*report = reports[0]
		}
		return err
	}
	p, err := d.open(ctx, data, v.Spec)
	if err != nil {
		return err
	}
	if err := fits(p.desc, v.Dst); err != nil {
		return err
	}
	*report, err = d.run(ctx, p, v.Dst, 0)
	return err
}

// fits reports a destination of another size than the result.
func fits(desc spool.Desc, dst []byte) error {
	if n, _ := desc.Bytes(); n != len(dst) {
		return fmt.Errorf("%w: %v takes %d bytes, the destination has %d", spool.ErrShape, desc, n, len(dst))
	}
	return nil
}

// alike reports whether views can have decoded bytes in common.
func alike(views []View) bool {
	if len(views) < 2 {
		return false
	}
	a := &views[0].Spec
	for i := range views {
		b := &views[i].Spec
		if b.Color == decode.RGBA || b.Resize.Profile == resize.Fast || b.Resize.Profile != a.Resize.Profile ||
			stored(b.Color) != stored(a.Color) || b.Alpha != a.Alpha || b.Over != a.Over || b.Frame != a.Frame ||
			b.ICC != a.ICC || b.Allow != a.Allow || b.Stored != a.Stored || b.Accept != a.Accept || b.fill() != a.fill() {
			return false
		}
	}
	return true
}

// stored is the color of the bytes that views have in common.
func stored(c decode.Color) decode.Color {
	if c == decode.BGR {
		return decode.RGB
	}
	return c
}

// sharedSpec is the spec of the area that views need together. drawn are their geometries, once the spec's Draw was
// called.
func sharedSpec(views []View) (shared Spec, drawn []resize.Spec) {
	a := views[0].Spec
	drawn = make([]resize.Spec, len(views))
	shared = Spec{Color: stored(a.Color), Alpha: a.Alpha, Over: a.Over, Frame: a.Frame, ICC: a.ICC, Allow: a.Allow,
		Stored: a.Stored, Accept: a.Accept, Fill: a.Fill}
	shared.Draw = func(width, height int) (resize.Spec, error) {
		var area resize.Rect
		for i, v := range views {
			drawn[i] = v.Spec.Resize
			if v.Spec.Draw != nil {
				var err error
				if drawn[i], err = v.Spec.Draw(width, height); err != nil {
					return resize.Spec{}, err
				}
			}
			box := drawn[i].Box
			if box == (resize.Rect{}) {
				box = resize.Rect{Width: width, Height: height}
			}
			if area = joined(area, box); i == 0 {
				area = box
			}
		}
		return resize.Spec{Box: area, Profile: a.Resize.Profile, Filter: a.Resize.Filter}, nil
	}
	return shared, drawn
}

// joined is the smallest rectangle that contains both.
func joined(a, b resize.Rect) resize.Rect {
	left, top := min(a.Left, b.Left), min(a.Top, b.Top)
	right, bottom := max(a.Left+a.Width, b.Left+b.Width), max(a.Top+a.Height, b.Top+b.Height)
	return resize.Rect{Left: left, Top: top, Width: right - left, Height: bottom - top}
}

// deep reports whether a view needs more than 8 bits of a sample.
func deep(p plan, views []View) bool {
	for _, v := range views {
		if v.Spec.DType != spool.Uint8 && v.Spec.bits(p.stored) == 16 {
			return true
		}
	}
	return false
}

// view resizes the bytes of an area, which the plan p decoded.
func (d *Decoder) view(ctx context.Context, area []byte, p plan, v View) (Report, error) {
	spec, at := v.Spec.ofIndices(), p.spec.Resize.Box
	if box := &spec.Resize.Box; *box != (resize.Rect{}) {
		box.Left, box.Top = box.Left-at.Left, box.Top-at.Top
	}
	shape := p.desc.Shape
	info := Info{Format: format.PNM, Frames: 1, Width: shape[1], Height: shape[0], Channels: shape[2], Bits: 8,
		Orientation: 1}
	spec.Resize.Bits, spec.Alpha, spec.Frame, spec.ICC, spec.Accept = 8, DropAlpha, 0, false, 0
	wanted := spec
	if spec.Adjust != nil {
		spec = spec.plain()
	}
	q := plan{data: area, lane: bytesLane{}, stored: info, intake: bytesLane{}.intake(info, spec), spec: spec,
		wanted: wanted, decoder: d}
	if err := q.plan(); err != nil {
		return Report{}, err
	}
	if err := fits(q.desc, v.Dst); err != nil {
		return Report{}, err
	}
	report, err := d.run(ctx, q, v.Dst, len(area))
	report.Region.Left += float64(at.Left)
	report.Region.Top += float64(at.Top)
	return report, err
}

// bytesLane pushes rows that are decoded already, without gaps.
type bytesLane struct{ goLane }

func (bytesLane) String() string { return "bytes" }

func (bytesLane) decode(ctx context.Context, data []byte, i Info, want rows) (progress, error) {
	const strip = 64 // rows between looks at the context
	stride := i.Width * i.Channels
	first, last := want.sink.Wanted()
	for at := first; at < last; at += strip {
		if err := ctx.Err(); err != nil {
			return progress{}, err
		}
		n := min(strip, last-at)
		if enough, err := want.sink.Push(data[at*stride:], stride, n); enough || err != nil {
			return settle(err, 0, 0)
		}
	}
	return settle(nil, 1, 0)
}
