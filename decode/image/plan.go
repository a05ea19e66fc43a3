package image

import (
	"context"
	"fmt"
	"math"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/image/format"
	"github.com/spoolmedia/spool/decode/internal/failure"
	"github.com/spoolmedia/spool/decode/internal/jpegfile"
	"github.com/spoolmedia/spool/decode/internal/limit"
	"github.com/spoolmedia/spool/decode/internal/pixels"
	"github.com/spoolmedia/spool/resize"
)

// plan is a planned decode of an image.
type plan struct {
	data      []byte
	animation animation // gives the frame; nil: the lane decodes data
	lane      lane
	stored    Info          // what the header says
	info      Info          // what the lane will push: stored, or a smaller size
	intake    pixels.Intake // of the lane's rows
	planes    *planes       // planes in place of rows; nil for rows
	spec      Spec          // of the pixels after the resize
	geometry  resize.Plan
	adjust    *pixels.Adjust // what follows; nil: the pixels are the result
	wanted    Spec           // of the result
	desc      spool.Desc     // of the result
	decoder   *Decoder
}

// frameHeader is what is known of a frame before a decode is planned.
type frameHeader struct {
	data    []byte
	lane    lane
	info    Info
	palette bool // the samples of data are indices
}

// open reads the header, checks the limits and plans the decode.
func (d *Decoder) open(ctx context.Context, data []byte, spec Spec) (plan, error) {
	h, err := d.readHeader(ctx, data, &spec)
	if err != nil {
		return plan{}, err
	}
	return d.plan(h, spec)
}

// readHeader reads the header of the frame that spec is for, and checks the limits.
func (d *Decoder) readHeader(ctx context.Context, data []byte, spec *Spec) (h frameHeader, err error) {
	if err := spec.Validate(); err != nil {
		return frameHeader{}, err
	}
	h.data = data
	if spec.Color == decode.Index {
		h.data, h.palette = indexed(data, format.Of(data), spec.Frame)
	}
	h.lane, h.info, err = lanes{d.jpeg, spec.Allow}.header(ctx, h.data, spec.Frame, d.limits)
	return h, err
}

// plan plans the decode of a frame.
func (d *Decoder) plan(h frameHeader, spec Spec) (plan, error) {
	info := h.info
	if spec.Color == decode.Index &&
		(!h.palette && (info.Channels != 1 || info.Alpha || info.Bits > 8) || info.Animated && spec.Frame > 0) {
		return plan{}, errNoIndices(info)
	}
	if !spec.upright(info.Format) {
		info.Orientation = jpegfile.Upright
	}
	if spec.Draw != nil {
		var err error
		width, height := info.Oriented()
		if spec.Resize, err = spec.Draw(width, height); err != nil {
			return plan{}, err
		}
	}
	if err := spec.Validate(); err != nil {
		return plan{}, err
	}
	spec = spec.ofIndices()
	wanted := spec
	if spec.Adjust != nil {
		spec = spec.plain()
	}
	intake := h.lane.intake(info, spec)
	spec.Resize.Bits = 8 // overrides the caller's value: it follows from the image
	if intake.Bits == 16 && spec.DType != spool.Uint8 {
		spec.Resize.Bits = 16
	}
	p := plan{data: h.data, lane: h.lane, stored: info, intake: intake, spec: spec, wanted: wanted, decoder: d}
	if err := p.plan(); err != nil {
		return plan{}, err
	}
	if n, ok := p.desc.Bytes(); !ok || int64(n) > d.limits.MaxMemory {
		return plan{}, limit.Exceeded("a result of %v, the limit is %d bytes", p.desc, d.limits.MaxMemory)
	}
	return p, nil
}

// target is the result of the decode, for the kernels.
func (p *plan) target() *pixels.Target {
	s := p.spec.pixels()
	return &pixels.Target{Spec: s, Width: p.info.Width, Height: p.info.Height, Orientation: p.info.Orientation,
		Geometry: p.geometry, Desc: s.Describe(p.geometry.OutWidth, p.geometry.OutHeight)}
}

// plan chooses the geometry, and with it the steps after it.
func (p *plan) plan() (err error) {
	p.info = p.stored
	width, height := p.info.Oriented()
	if p.geometry, err = p.spec.Resize.Plan(width, height, p.decoder.tables); err != nil {
		return err
	}
	result, w, h := p.wanted.pixels(), p.geometry.OutWidth, p.geometry.OutHeight
	p.desc = result.Describe(w, h)
	if p.wanted.Adjust != nil {
		if p.adjust, err = pixels.NewAdjust(result, p.wanted.Adjust(w, h), w, h); err != nil {
			return err
		}
	}
	if p.planes = p.byPlanes(); p.planes != nil {
		return nil
	}
	return p.shrink()
}

// run decodes the image into dst, which has the size of p.desc. The call already holds beside bytes of other memory. An
// image whose planes the lane declines is decoded by rows, over the pixels already in dst.
func (d *Decoder) run(ctx context.Context, p plan, dst []byte, beside int) (Report, error) {
	ctx, budget := p.budget(ctx)
	defer budget.End()
	done, err := p.attempt(ctx, dst, beside)
	if err == nil && done.declined {
		p.planes = nil
		if err = p.shrink(); err == nil {
			done, err = p.attempt(ctx, dst, beside)
		}
	}
	if err != nil {
		return Report{}, failure.Ended(ctx, err)
	}
	return p.report(done), nil
}

func (p *plan) report(done progress) Report {
	g := &p.geometry
	return Report{Info: p.stored.Detached(), Desc: p.desc, Region: g.Region, FlipX: g.FlipX, FlipY: g.FlipY,
		Damaged: done.damaged, Fraction: done.fraction, Warnings: done.warnings, Warning: done.warning,
		Trace: Trace{Lane: p.lane.String(), Engine: done.engine, Reason: done.reason,
			Width: p.info.Width, Height: p.info.Height, Scale: p.scale(),
			Scratch: done.scratch, Profile: done.profile},
	}
}

// attempt decodes as planned.
func (p *plan) attempt(ctx context.Context, dst []byte, beside int) (done progress, err error) {
	if p.planes != nil {
		return p.attemptPlanes(ctx, dst, beside)
	}
	d := p.decoder
	pass, err := p.pass(ctx)
	if err != nil {
		return progress{}, err
	}
	sinkBytes := pass.rows.ScratchBytes()
	need := sinkBytes + p.adjust.ScratchBytes()
	left, err := p.left(int64(need) + int64(len(dst)) + int64(beside))
	if err != nil {
		return progress{}, err
	}
	buffer, err := d.scratch.GetFor(ctx, need, spool.Scratch)
	if err != nil {
		return progress{}, err
	}
	defer buffer.Release()
	mine, rest := buffer.Bytes()[:sinkBytes], buffer.Bytes()[sinkBytes:]
	to := p.adjust.Pixels(dst, rest)
	err = pixels.WithSink(pass.rows, to, mine, func(sink *kernel.Sink) (err error) {
		done, err = p.deliver(ctx, sink, func() error { return sink.Begin(to) }, left)
		return err
	})
	if err == nil {
		err = p.finish(ctx, dst, rest)
	}
	done.scratch = int64(need)
	return done, err
}

// left is the memory that the lane's library may take beside ours bytes. An image that takes more is ErrTooLarge.
func (p *plan) left(ours int64) (int64, error) {
	most := p.decoder.limits.MaxMemory
	if all := ours + p.info.memory; all > most {
		return 0, limit.Exceeded("decoding %dx%d to %v takes about %d bytes of memory, the limit is %d",
			p.info.Width, p.info.Height, p.desc, all, most)
	}
	return most - ours, nil
}

// budget returns a context for the calls of a decode, which limits their processor time. The caller MUST call End.
func (p *plan) budget(ctx context.Context) (context.Context, *call.Budget) {
	return call.WithBudget(ctx, limit.CPU(p.decoder.limits, len(p.data), p.stored.Width, p.stored.Height), 1)
}

// finish applies the steps after the resize, with the scratch memory that has the pixels.
func (p *plan) finish(ctx context.Context, dst, scratch []byte) error {
	if p.adjust == nil {
		return nil
	}
	c, err := call.Enter(ctx, 1)
	if err != nil {
		return err
	}
	defer c.Leave()
	defer c.Part("spool imageops: adjust", c.Begin())
	return p.adjust.Run(dst, scratch)
}

// shrink asks the lane for a smaller image where the profile allows it, the result is smaller, and the lane can.
func (p *plan) shrink() error {
	lane, ok := p.lane.(shrinker)
	if r := p.spec.Resize; !ok || r.Profile != resize.Fast || r.Filter.Picks() {
		return nil
	}
	g, i := &p.geometry, p.stored
	width, height := i.Oriented()
	w := min(width, int(math.Ceil(float64(width*g.OutWidth)/g.Region.Width)))
	h := min(height, int(math.Ceil(float64(height*g.OutHeight)/g.Region.Height)))
	if i.Orientation >= 5 {
		w, h = h, w
	}
	if w == i.Width && h == i.Height {
		return nil
	}
	p.info = lane.shrink(i, p.spec, w, h)
	inWidth, inHeight := p.info.Oriented()
	var err error
	p.geometry, err = p.spec.Resize.PlanShrunk(width, height, inWidth, inHeight, p.decoder.tables)
	return err
}

// rows decodes the requested frame. In an animation it composes the frames before it first.
func (p *plan) rows(ctx context.Context, r rows) (progress, error) {
	if p.animation != nil {
		return p.animation.next(ctx, r)
	}
	lane, ok := p.lane.(animator)
	if !ok || !p.info.Animated || p.info.Frame == 0 {
		return p.lane.decode(ctx, p.data, p.info, r)
	}
	a, err := p.advance(ctx, lane, r.maxMemory)
	if err != nil {
		return progress{}, err
	}
	defer a.close()
	return a.next(ctx, r)
}

// filler is a sink whose missing rows can be filled.
type filler interface {
	sink
	Fill(color [3]uint8) error
}

// deliver pushes a frame's rows into the sink, which restart makes ready for them again, and fills missing rows. An
// unusable color profile gives a warning, and the image is decoded as if it had none. The lane's library may take left
// bytes of memory.
func (p *plan) deliver(ctx context.Context, sink filler, restart func() error, left int64) (progress, error) {
	r := rows{channels: p.intake.Channels, bits: max(p.intake.Bits, 8), sink: sink, fill: p.spec.fill(),
		accept: p.spec.Accept, maxMemory: left, tables: p.decoder.tables, profile: p.spec.Resize.Profile,
		restart: restart}
	var unusable error // why the color profile is not used
	var profile int64
	if p.spec.converts(p.info) {
		colors, err := p.convert(ctx, r, p.info.Width)
		switch spool.ClassOf(err) {
		case "":
			if err != nil {
				return progress{}, err
			}
			defer func() { _ = colors.Close() }() // never fails
			r.sink, r.inks, profile = colors, p.info.inks, colors.Bytes()
		case spool.ErrCorrupt, spool.ErrUnsupported, spool.ErrTooLarge:
			unusable = err
		default:
			return progress{}, err
		}
	}
	done, err := p.rows(ctx, r)
	if err == nil && done.damaged {
		err = sink.Fill(p.spec.fill())
	}
	if unusable != nil {
		if done.warnings++; done.warnings == 1 {
			done.warning = unusable.Error()
		}
	}
	done.profile = profile
	return done, err
}

// header finds the lane of an image and reads a frame's header, under the limits.
func (l lanes) header(ctx context.Context, data []byte, frame int, limits decode.Limits) (lane, Info, error) {
	if err := limit.Size(limits, len(data)); err != nil {
		return nil, Info{}, err
	}
	format := format.Of(data)
	lane := l.of(format)
	if lane == nil {
		return nil, Info{}, refuse("decode", format)
	}
	info, err := lane.header(ctx, data, format, frame)
	if err != nil {
		return nil, Info{}, failure.Ended(ctx, err)
	}
	if frame > 0 && frame >= info.Frames {
		return nil, Info{}, noSuchFrame(frame, info.Frames)
	}
	if int64(frame) >= limits.MaxFrames {
		return nil, Info{}, limit.Exceeded("frame %d is beyond the limit of %d frames", frame, limits.MaxFrames)
	}
	info.Frame = frame
	if info.Width <= 0 || info.Height <= 0 {
		return nil, Info{}, &spool.Error{Op: "decode", Class: spool.ErrCorrupt,
			Text: fmt.Sprintf("a size of %dx%d: width and height must be positive", info.Width, info.Height)}
	}
	return lane, info, checkHeader(limits, info)
}

// checkHeader checks the dimensions in a header, and the memory that the lane's library takes to decode the image.
func checkHeader(l decode.Limits, i Info) error {
	if err := limit.Pixels(l, i.Width, i.Height); err != nil {
		return err
	}
	if n := i.memory; n > l.MaxMemory {
		return limit.Exceeded("decoding %dx%d takes about %d bytes of memory, the limit is %d", i.Width, i.Height, n,
			l.MaxMemory)
	}
	return nil
}
