package image

import (
	"context"
	"fmt"
	"slices"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/decode"
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
// The image is decoded once, if the views need the same rows: they have Frame, Allow, ICC, Accept, Fill and the profile
// in common, are all in color or all gray, and either all or none have more than 8 bits of an image that has them. Each
// row is resized for all views as soon as it is decoded. For other views, and for profile fast where it decodes at a
// reduced size, each view is decoded by itself.
//
// Errors are those of DecodeInto. Cost: one decode of the area that the views need, and a resize for each view.
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
	plans := make([]plan, len(views))
	together := len(views) > 1
	var h frameHeader
	for i, v := range views {
		var err error
		if i == 0 || !sameHeader(&v.Spec, &views[0].Spec) {
			if h, err = d.readHeader(ctx, data, &v.Spec); err != nil {
				return nil, err
			}
			together = together && i == 0
		}
		if plans[i], err = d.plan(h, v.Spec); err != nil {
			return nil, err
		}
		if err = fits(plans[i].desc, v.Dst); err != nil {
			return nil, err
		}
		together = together && plans[i].sameRows(&plans[0])
	}
	if together {
		return d.together(ctx, plans, views)
	}
	reports := make([]Report, len(views))
	for i, v := range views {
		var err error
		if reports[i], err = d.run(ctx, plans[i], v.Dst, 0); err != nil {
			return nil, err
		}
	}
	return reports, nil
}

// sameHeader reports whether two specs are for the same frame, by the same lane.
func sameHeader(a, b *Spec) bool {
	return a.Frame == b.Frame && a.Allow == b.Allow && (a.Color == decode.Index) == (b.Color == decode.Index)
}

// sameRows reports whether two plans for the same frame, of which neither decodes planes, need the same rows.
func (p *plan) sameRows(q *plan) bool {
	a, b := &p.spec, &q.spec
	return p.planes == nil && q.planes == nil && p.info.Width == q.info.Width && p.info.Height == q.info.Height &&
		p.intake == q.intake && a.converts(p.info) == b.converts(q.info) && a.Resize.Profile == b.Resize.Profile &&
		a.Accept == b.Accept && a.fill() == b.fill()
}

// outlet is one of several results of a decode.
type outlet struct {
	plan   *plan
	pass   pass
	dst    []byte
	pixels []byte // before the steps after the resize
	rest   []byte // scratch memory of these steps
}

// scratch is the size of the scratch memory of the outlet.
func (o *outlet) scratch() int { return o.pass.rows.ScratchBytes() + o.plan.adjust.ScratchBytes() }

// open opens a sink for the outlet in scratch memory.
func (o *outlet) open(scratch []byte) (*kernel.Sink, error) {
	n := o.pass.rows.ScratchBytes()
	o.rest = scratch[n:]
	o.pixels = o.plan.adjust.Pixels(o.dst, o.rest)
	return o.pass.rows.Open(o.pixels, scratch[:n])
}

// together decodes an image once for several plans that need the same rows.
func (d *Decoder) together(ctx context.Context, plans []plan, views []View) ([]Report, error) {
	ctx, budget := plans[0].budget(ctx)
	defer budget.End()
	outlets := make([]outlet, len(plans))
	for i := range plans {
		outlets[i] = outlet{plan: &plans[i], dst: views[i].Dst}
	}
	done, err := d.pour(ctx, outlets)
	if err != nil {
		return nil, failure.Ended(ctx, err)
	}
	reports := make([]Report, len(plans))
	for i := range plans {
		reports[i] = plans[i].report(done)
	}
	return reports, nil
}

// pour decodes the image of the first outlet's plan into all outlets.
func (d *Decoder) pour(ctx context.Context, outlets []outlet) (done progress, err error) {
	first := &outlets[0]
	need, results := 0, 0
	for i := range outlets {
		o := &outlets[i]
		if o.pass, err = o.plan.pass(ctx); err != nil {
			return progress{}, err
		}
		need += o.scratch()
		results += len(o.dst)
	}
	teeBytes := first.pass.rows.TeeBytes(len(outlets))
	need += teeBytes
	left, err := first.plan.left(int64(need) + int64(results))
	if err != nil {
		return progress{}, err
	}
	buffer, err := d.scratch.GetFor(ctx, need, spool.Scratch)
	if err != nil {
		return progress{}, err
	}
	defer buffer.Release()
	sinks := make([]*kernel.Sink, 0, len(outlets))
	defer func() {
		for _, sink := range sinks {
			_ = sink.Close() // always nil
		}
	}()
	scratch := buffer.Bytes()
	for i := range outlets {
		n := outlets[i].scratch()
		sink, err := outlets[i].open(scratch[:n:n])
		if err != nil {
			return progress{}, err
		}
		sinks, scratch = append(sinks, sink), scratch[n:]
	}
	tee, err := kernel.NewTee(sinks, scratch[:teeBytes])
	if err != nil {
		return progress{}, err
	}
	defer func() { _ = tee.Close() }() // always nil
	restart := func() error {
		for i, sink := range sinks {
			if err := sink.Begin(outlets[i].pixels); err != nil {
				return err
			}
		}
		return tee.Begin()
	}
	if done, err = first.plan.deliver(ctx, tee, restart, left); err != nil {
		return progress{}, err
	}
	for i := range outlets {
		if err := outlets[i].plan.finish(ctx, outlets[i].dst, outlets[i].rest); err != nil {
			return progress{}, err
		}
	}
	done.scratch = int64(need)
	return done, nil
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
