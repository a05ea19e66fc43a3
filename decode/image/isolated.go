package image

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/augment"
	"github.com/spoolmedia/spool/cbridge/vips"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/image/format"
	"github.com/spoolmedia/spool/decode/internal/failure"
	"github.com/spoolmedia/spool/decode/internal/isolated"
	"github.com/spoolmedia/spool/decode/internal/limit"
	"github.com/spoolmedia/spool/internal/helper"
	"github.com/spoolmedia/spool/resize"
)

// The operations of a helper.
const (
	opViews   = "views"   // views of known sizes, one behind the other
	opImage   = "image"   // one view, of the size that it has
	opMeasure = "measure" // one view without pixels
	opFrames  = "frames"  // several frames of one view
)

// task is what a helper does: it is sent with the bytes of the file.
type task struct {
	Op    string
	JPEG  JPEGEngine
	Views []wireView
	Count int // of frames
}

// wireView is a View for a helper, which asks for what its functions return.
type wireView struct {
	Spec         Spec
	Draw, Adjust bool
	Bytes        int // of the result
}

// question is a call of a view's Draw or Adjust.
type question struct {
	View          int
	Adjust        bool
	Width, Height int
}

// isolated reports whether a file is decoded in a helper. Formats whose loaders open files are not: fonts for SVG and
// PDF, modules and settings of ImageMagick, and a copy of an EXR file. A helper opens no file.
func (d *Decoder) isolated(ctx context.Context, data []byte, allow Loaders) bool {
	if d.helpers == nil {
		return false
	}
	f := format.Of(data)
	_, byVips := (lanes{d.jpeg, allow}).of(f).(vipsLane)
	switch {
	case d.isolate == decode.IsolateHEIC:
		return f == format.HEIC && d.helped(ctx)
	case byVips && (f == format.SVG || f == format.PDF || f == format.EXR || vipsFormat(f) == vips.Magick):
		return false
	case d.isolate == decode.IsolateAll, byVips, f == format.AVIF, f == format.JP2:
		return true
	}
	return false
}

// helped reports whether helpers can be started here, for HEIC, which needs none. It fails once: from then on HEIC is
// decoded in this process.
func (d *Decoder) helped(ctx context.Context) bool {
	if d.alone.Load() {
		return false
	}
	_, err := d.helpers.Check(ctx)
	alone := errors.Is(err, helper.ErrNotStarted)
	if alone {
		d.alone.Store(true)
	}
	return !alone
}

// inHelper has a helper do an operation on views, or on count frames of one, and calls use with
// the reports, which are as many as views, and the results.
func (d *Decoder) inHelper(ctx context.Context, op string, count int, data []byte, views []View,
	use func(reports []Report, output []byte) error) error {
	if err := limit.Size(d.limits, len(data)); err != nil {
		return err
	}
	head := task{Op: op, Views: make([]wireView, len(views)), Count: count}
	if d.jpeg.turboOnly {
		head.JPEG = JPEGTurbo
	}
	for i, v := range views {
		if err := v.Spec.Validate(); err != nil {
			return err
		}
		head.Views[i] = wireView{Spec: v.Spec, Draw: v.Spec.Draw != nil, Adjust: v.Spec.Adjust != nil, Bytes: len(v.Dst)}
	}
	err := isolated.Do(ctx, d.helpers, decode.Image, helper.Task{Head: head, Input: data,
		Answer: func(text json.RawMessage, _ []byte) (any, error) { return d.answer(text, views) },
		Use: func(text json.RawMessage, output []byte) error {
			var reports []Report
			if err := json.Unmarshal(text, &reports); err != nil || len(reports) != len(views) {
				return isolated.Untrue("%d reports of %d views, %v", len(reports), len(views), err)
			}
			d.jpeg.count(reports)
			return use(reports, output)
		}})
	return failure.Ended(ctx, err)
}

// answer calls a view's Draw or Adjust.
func (d *Decoder) answer(text json.RawMessage, views []View) (any, error) {
	var q question
	if err := json.Unmarshal(text, &q); err != nil || q.View < 0 || q.View >= len(views) {
		return nil, isolated.Untrue("a question of view %d, %v", q.View, err)
	}
	spec := &views[q.View].Spec
	if q.Width < 1 || q.Height < 1 || q.Adjust && spec.Adjust == nil || !q.Adjust && spec.Draw == nil {
		return nil, isolated.Untrue("a question of %dx%d pixels", q.Width, q.Height)
	}
	if err := limit.Pixels(d.limits, q.Width, q.Height); err != nil {
		return nil, err
	}
	if q.Adjust {
		return spec.Adjust(q.Width, q.Height), nil
	}
	return spec.Draw(q.Width, q.Height)
}

// viewsInHelper decodes views in a helper.
func (d *Decoder) viewsInHelper(ctx context.Context, data []byte, views []View) (reports []Report, err error) {
	err = d.inHelper(ctx, opViews, 0, data, views, func(all []Report, output []byte) error {
		for i, v := range views {
			if err := fits(all[i].Desc, v.Dst); err != nil || len(v.Dst) > len(output) {
				return isolated.Untrue("a result of %v for %d bytes", all[i].Desc, len(v.Dst))
			}
			output = output[copy(v.Dst, output):]
		}
		reports = all
		return nil
	})
	return reports, err
}

// imageInHelper decodes an image (opImage) or frames (opFrames) in a helper.
func (d *Decoder) imageInHelper(ctx context.Context, op string, count int, data []byte,
	spec Spec) (buffer *spool.Buffer, report Report, err error) {
	dims := 3
	if op == opFrames {
		dims = 4
	}
	err = d.inHelper(ctx, op, count, data, []View{{Spec: spec}}, func(reports []Report, output []byte) (err error) {
		desc := reports[0].Desc
		n, ok := desc.Bytes()
		if !ok || n > len(output) || int64(n) > d.limits.MaxMemory || len(desc.Shape) != dims || desc.DType != spec.DType {
			return isolated.Untrue("a result of %v", desc)
		}
		if buffer, err = d.pixels.GetFor(ctx, n, spool.Pixels); err != nil {
			return err
		}
		copy(buffer.Bytes(), output[:n])
		buffer.SetDesc(desc)
		report = reports[0]
		return nil
	})
	return buffer, report, err
}

// framesInHelper decodes frames in a helper.
func (d *Decoder) framesInHelper(ctx context.Context, data, dst []byte, spec Spec, n int) (report Report, err error) {
	err = d.inHelper(ctx, opFrames, n, data, []View{{Spec: spec, Dst: dst}}, func(reports []Report, output []byte) error {
		report = reports[0]
		if err := fits(report.Desc, dst); err != nil {
			return err
		}
		copy(dst, output)
		return nil
	})
	return report, err
}

// measureInHelper measures an image in a helper.
func (d *Decoder) measureInHelper(ctx context.Context, data []byte, spec Spec) (report Report, err error) {
	err = d.inHelper(ctx, opMeasure, 0, data, []View{{Spec: spec}}, func(reports []Report, _ []byte) error {
		report = reports[0]
		return nil
	})
	return report, err
}

// HelperTasks is what a helper process does for images: see package decode/isolate.
func HelperTasks() decode.HelperTasks { return isolated.HelperTasks(decode.Image, startHelper) }

// startHelper makes the handler of a helper process.
func startHelper(shared *decode.Decoder) (_ helper.Handler, err error) {
	var engines [JPEGTurbo + 1]*Decoder
	for e := range engines {
		if engines[e], err = New(shared, Options{JPEG: JPEGEngine(e)}); err != nil {
			return nil, err
		}
	}
	for _, f := range []format.Format{format.TIFF, format.HEIC, format.JXL} { // loads libvips' modules, which are files
		_, _ = vipsLane{}.header(context.Background(), []byte(f.String()), f, 0) // it is no image
	}
	var head []byte // of t: most tasks of a run have the same one
	var t task
	return func(c *helper.Call) (any, error) {
		if !bytes.Equal(head, c.Head) {
			head, t = nil, task{}
			if err := json.Unmarshal(c.Head, &t); err != nil {
				return nil, err
			}
			head = c.Head
		}
		return engines[t.JPEG].serve(c, t)
	}, nil
}

// serve does a task in a helper.
func (d *Decoder) serve(c *helper.Call, t task) (reports []Report, err error) {
	ctx, views, rest := context.Background(), make([]View, len(t.Views)), c.Output
	for i, v := range t.Views {
		spec := v.Spec
		if v.Draw {
			spec.Draw = func(width, height int) (s resize.Spec, err error) {
				return s, c.Ask(question{View: i, Width: width, Height: height}, &s)
			}
		}
		if v.Adjust {
			spec.Adjust = func(width, height int) (steps []augment.Step) {
				_ = c.Ask(question{View: i, Adjust: true, Width: width, Height: height}, &steps) // ends with the parent
				return steps
			}
		}
		if v.Bytes > len(rest) {
			return nil, limit.Exceeded("results of more than %d bytes, the limit", len(c.Output))
		}
		views[i] = View{Spec: spec, Dst: rest[:v.Bytes:v.Bytes]}
		rest = rest[v.Bytes:]
	}
	switch t.Op {
	case opViews:
		return d.cropped(ctx, c.Input, views)
	case opImage:
		p, err := d.open(ctx, c.Input, views[0].Spec)
		if err != nil {
			return nil, err
		}
		n, _ := p.desc.Bytes() // below the limit, which c.Output has
		report, err := d.run(ctx, p, c.Output[:n], 0)
		return []Report{report}, err
	case opFrames:
		f, err := d.openFrames(ctx, c.Input, views[0].Spec, t.Count)
		if err != nil {
			return nil, err
		}
		report, err := f.run(ctx, c.Output[:f.n*f.size])
		return []Report{report}, err
	}
	report, err := d.measure(ctx, c.Input, views[0].Spec)
	return []Report{report}, err
}
