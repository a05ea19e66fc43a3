package video

import (
	"context"
	"fmt"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/augment"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/internal/limit"
	"github.com/spoolmedia/spool/decode/internal/pixels"
	"github.com/spoolmedia/spool/resize"
)

// output is the output of one request: geometry, destination and scratch memory for its frames.
type output struct {
	video    *Video
	asked    Spec           // with the geometry that Draw gave
	steps    []augment.Step // that Adjust gave
	spec     pixels.Spec    // of a frame after the resize; Draw has been called
	adjust   *pixels.Adjust // what follows, the same for all frames; nil: the pixels are the result
	wanted   pixels.Spec    // of the result
	asStored bool           // without the rotation that the container asks for
	rgb      av.Conversion  // except Deep, which depends on the view
	desc     spool.Desc
	size     int         // bytes of a frame
	plan     resize.Plan // for frames of the video's size
	dst      []byte
	views    []view

	raw    Planes // planes as stored; plan covers the whole frame then
	stored Stored // of the first frame that was written

	samples bool // luma as stored: decode.Index

	filters       *filtering // in front of everything; nil: none
	width, height int        // of frames behind them, as stored

	work *workspace
}

// workspace is the scratch memory of a call. It is one buffer, so that no call waits for more while it holds some. The
// sink built in it for a frame is used for the next frames as well.
type workspace struct {
	pool   *spool.Pool
	buffer *spool.Buffer    // nil before the first use
	made   *kernel.Prepared // the plan of sink; nil without a sink
	front  *kernel.Planes   // in front of sink; nil if frames come in rows
	sink   *kernel.Sink
	rest   []byte // the part of buffer for the steps after the sink

	filtered *av.Frame // nil before the first use
}

// bytes returns at least n bytes of unspecified contents. It discards the sink in them.
func (w *workspace) bytes(ctx context.Context, n int) ([]byte, error) {
	w.unmake()
	if w.buffer == nil || w.buffer.Len() < n {
		w.free()
		var err error
		if w.buffer, err = w.pool.GetFor(ctx, n, spool.Scratch); err != nil {
			return nil, err
		}
	}
	return w.buffer.Bytes(), nil
}

// open prepares the sink, and the planes in front of it, for a frame whose pixels go to dst after the steps a.
func (w *workspace) open(ctx context.Context, v *view, a *pixels.Adjust, dst []byte) error {
	if w.made == v.pass {
		dst = a.Pixels(dst, w.rest)
		if w.front != nil {
			return w.front.Begin(w.sink, dst)
		}
		return w.sink.Begin(dst)
	}
	scratch, err := w.bytes(ctx, v.scratch+a.ScratchBytes())
	if err != nil {
		return err
	}
	scratch, w.rest = scratch[:v.scratch], scratch[v.scratch:]
	dst = a.Pixels(dst, w.rest)
	if v.planes != nil {
		w.front, w.sink, err = v.planes.OpenBefore(v.pass, dst, scratch)
	} else {
		w.sink, err = v.pass.Open(dst, scratch)
	}
	if err != nil {
		return err
	}
	w.made = v.pass
	return nil
}

func (w *workspace) unmake() {
	if w.made == nil {
		return
	}
	if w.front != nil {
		_ = w.front.Close() // always nil
	}
	_ = w.sink.Close() // always nil
	w.made, w.front = nil, nil
}

func (w *workspace) close() {
	w.free()
	if w.filtered != nil {
		w.filtered.Release()
		w.filtered = nil
	}
}

func (w *workspace) free() {
	w.unmake()
	if w.buffer != nil {
		w.buffer.Release()
		w.buffer = nil
	}
}

// view is the conversion of frames of one kind.
type view struct {
	kind    frameKind
	pass    *kernel.Prepared
	planes  *kernel.PreparedPlanes // in front of pass; nil: pass takes rows of RGB
	deep    bool                   // the rows have 16 bits
	scratch int                    // bytes of scratch memory, of pass and of planes
}

// frameKind is what a view depends on.
type frameKind struct {
	width, height int
	format        av.PixelFormat
	color         av.Color
}

// newCut plans for frames of the size that the container gives.
func (v *Video) newCut(spec Spec) (*output, error) {
	k := &output{video: v, asked: spec, spec: spec.pixels(), wanted: spec.pixels(), asStored: spec.Stored,
		work: &workspace{pool: v.decoder.scratch}, width: v.info.Width, height: v.info.Height}
	k.rgb.Bilinear = spec.Chroma == BilinearChroma
	if spec.Planes != Converted {
		var err error
		if k, err = v.newRawCut(spec); err != nil {
			return nil, err
		}
		return k, k.measure()
	}
	if spec.Filters != "" {
		var err error
		if k.filters, k.width, k.height, err = v.newFiltering(&spec); err != nil {
			return nil, err
		}
	}
	if spec.Draw != nil {
		width, height := pixels.Oriented(k.width, k.height, k.orientation())
		var err error
		if k.spec.Resize, err = spec.Draw(width, height); err != nil {
			return nil, err
		}
		k.asked.Resize = k.spec.Resize
	}
	if spec.Adjust != nil {
		k.spec = k.spec.Plain()
	}
	if spec.Color == decode.Index {
		k.samples, k.spec.Color, k.wanted.Color, k.spec.Resize.Profile = true, decode.Gray, decode.Gray, resize.Exact
	}
	p, err := k.target(k.width, k.height, false)
	if err != nil {
		return nil, err
	}
	width, height := p.Geometry.OutWidth, p.Geometry.OutHeight
	k.desc, k.plan = k.wanted.Describe(width, height), p.Geometry
	if spec.Adjust != nil {
		k.steps = spec.Adjust(width, height)
		if k.adjust, err = pixels.NewAdjust(k.wanted, k.steps, width, height); err != nil {
			return nil, err
		}
	}
	return k, k.measure()
}

// measure computes the size of a frame.
func (k *output) measure() error {
	n, ok := k.desc.Bytes()
	if most := k.video.decoder.limits.MaxMemory; !ok || int64(n) > most {
		return limit.Exceeded("a frame of %v, the limit is %d bytes", k.desc, most)
	}
	k.size = n
	return nil
}

// orientation is the orientation to apply: none if frames are requested as stored.
func (k *output) orientation() int {
	if k.asStored {
		return 1
	}
	return k.video.info.Orientation
}

// target plans for frames of a size, as for an image.
func (k *output) target(width, height int, deep bool) (*pixels.Target, error) {
	t := &pixels.Target{Spec: k.spec, Width: width, Height: height, Bits: 8, Orientation: k.orientation()}
	t.Spec.Resize.Bits = 8
	if deep {
		t.Bits, t.Spec.Resize.Bits = 16, 16
	}
	if err := limit.Pixels(k.video.decoder.limits, width, height); err != nil {
		return nil, err
	}
	w, h := t.Oriented()
	var err error
	if t.Geometry, err = t.Spec.Resize.Plan(w, h, k.video.decoder.tables); err != nil {
		return nil, err
	}
	t.Desc = t.Spec.Describe(t.Geometry.OutWidth, t.Geometry.OutHeight)
	return t, nil
}

// viewOf returns the conversion for f, which is frame n of the video.
func (k *output) viewOf(f *av.Frame, n int) (*view, error) {
	kind := frameKind{f.Width, f.Height, f.PixelFormat, f.Color}
	for i := range k.views {
		if k.views[i].kind == kind {
			return &k.views[i], nil
		}
	}
	w := view{kind: kind, deep: k.spec.DType != spool.Uint8 && f.PixelFormat.Depth() > 8}
	p, err := k.target(f.Width, f.Height, w.deep)
	if err != nil {
		return nil, err
	}
	if g := p.Geometry; g.OutWidth != k.plan.OutWidth || g.OutHeight != k.plan.OutHeight {
		text := fmt.Sprintf("frame %d is of %v, but %v is expected: frames of different sizes must be resized to one size", n,
			p.Desc.Shape, k.desc.Shape)
		return nil, &spool.Error{Op: "decode", Class: spool.ErrUnsupported, Text: text}
	}
	in := pixels.Intake{Channels: 3, Bits: p.Bits, Gray: k.spec.Color == decode.Gray}
	if k.samples {
		if err := k.storesSamples(f.PixelFormat); err != nil {
			return nil, err
		}
		in = pixels.Intake{Channels: 1, Bits: p.Bits}
	}
	pass := p.Plan(in)
	if err := k.byPlanes(&w, p, &pass); err != nil {
		return nil, err
	}
	if w.pass, err = pass.Prepare(); err != nil {
		return nil, err
	}
	w.scratch += w.pass.ScratchBytes()
	k.views = append(k.views, w)
	return &k.views[len(k.views)-1], nil
}

// storesSamples returns an error unless a format has a plane of luma, of the result's depth.
func (k *output) storesSamples(format av.PixelFormat) error {
	layout, ok := format.Planes()
	refuse := func(text string, args ...any) error {
		return &spool.Error{Op: "decode", Class: spool.ErrUnsupported, Text: fmt.Sprintf(text, args...)}
	}
	if !ok || layout.High {
		return refuse("%v has no indices: they are the luma of gray and planar YUV video", format)
	}
	need := spool.Uint8
	if layout.Depth > 8 {
		need = spool.Uint16
	}
	if need != k.spec.DType {
		return refuse("the samples of %v are %v, not %v", format, need, k.spec.DType)
	}
	return nil
}

// slot is the memory of frame i of the clip.
func (k *output) slot(i int) []byte { return k.dst[i*k.size:][:k.size:k.size] }

// write converts frame n into a slot.
func (k *output) write(c *call.Call, f *av.Frame, n, slot int) error {
	if k.raw != Converted {
		return k.writeRaw(c, f, n, slot)
	}
	var err error
	if k.filters != nil {
		if f, err = k.filters.run(c, f, k.work); err != nil {
			return err
		}
	}
	w, err := k.viewOf(f, n)
	if err != nil {
		return err
	}
	dst := k.slot(slot)
	if err := k.work.open(c.Context(), w, k.adjust, dst); err != nil {
		return err
	}
	switch {
	case w.planes != nil:
		err = f.PushPlanes(c, k.work.front.Pointer())
	case k.samples:
		err = f.PushLuma(c, k.work.sink.Pointer())
	default:
		conversion := k.rgb
		conversion.Deep = w.deep
		err = k.video.decoder.scaler.Rows(c, f, k.work.sink.Pointer(), conversion)
	}
	if err != nil || k.adjust == nil {
		return err
	}
	return k.adjust.Run(dst, k.work.rest)
}

// fill fills a slot with the spec's color.
func (k *output) fill(ctx context.Context, slot int) error {
	if k.raw != Converted {
		k.fillRaw(slot)
		return nil
	}
	p, err := k.target(k.width, k.height, false)
	if err != nil {
		return err
	}
	resize := p.Spec.Resize
	p.Spec, p.Desc = k.wanted, k.desc // no step changes this color
	p.Spec.Resize = resize
	plan := p.Plan(pixels.Intake{Channels: 3, Bits: 8, Gray: k.spec.Color == decode.Gray})
	pass, err := plan.Prepare()
	if err != nil {
		return err
	}
	scratch, err := k.work.bytes(ctx, pass.ScratchBytes())
	if err != nil {
		return err
	}
	return pixels.WithSink(pass, k.slot(slot), scratch,
		func(sink *kernel.Sink) error { return sink.Fill(k.spec.Missing()) })
}
