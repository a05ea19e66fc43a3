package image

import (
	"context"
	"fmt"
	"math"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/internal/failure"
	"github.com/spoolmedia/spool/decode/internal/limit"
	"github.com/spoolmedia/spool/resize"
)

// DecodeFrames decodes n frames of an animation, or n pages, from spec.Frame on, into a buffer from the pool, owned by
// the caller. n 0 means all remaining frames. A frame of an animation is the whole canvas, as a viewer shows it.
//
//	Result:  that of Decode, with a leading dimension of frames: NHWC or NCHW, [n h w c] or [n c h w]. Info, Region and
//	         Trace are those of the first frame. Fraction is that of all frames together, and spec.Accept refers to it.
//	Errors:  those of Decode; ErrNoSuchFrame if there are fewer frames; ErrUnsupported for pages of different
//	         sizes if spec does not resize them to one.
//	Cost:    each frame is decoded once; for an animation, also the frames before spec.Frame.
func (d *Decoder) DecodeFrames(ctx context.Context, object spool.Object, spec Spec, n int) (buffer *spool.Buffer,
	report Report, err error) {
	err = d.reading(ctx, object, func(data []byte) error {
		if n >= 0 && spec.Crops == resize.OneCrop && d.isolated(ctx, data, spec.Allow) {
			buffer, report, err = d.imageInHelper(ctx, opFrames, n, data, spec)
		} else {
			buffer, report, err = d.frames(ctx, data, spec, n)
		}
		return err
	})
	return buffer, report, err
}

func (d *Decoder) frames(ctx context.Context, data []byte, spec Spec, n int) (*spool.Buffer, Report, error) {
	f, err := d.openFrames(ctx, data, spec, n)
	if err != nil {
		return nil, Report{}, err
	}
	buffer, err := d.pixels.GetFor(ctx, f.n*f.size, spool.Pixels)
	if err != nil {
		return nil, Report{}, failure.Ended(ctx, err)
	}
	report, err := f.run(ctx, buffer.Bytes())
	if err != nil {
		buffer.Release()
		return nil, Report{}, err
	}
	buffer.SetDesc(report.Desc)
	return buffer, report, nil
}

// DecodeFramesInto decodes n frames into dst, which must have exactly the size of the result; see DecodeFrames. On
// error the contents of dst are unspecified.
func (d *Decoder) DecodeFramesInto(ctx context.Context, object spool.Object, dst []byte, spec Spec,
	n int) (report Report, err error) {
	err = d.reading(ctx, object, func(data []byte) error {
		if n >= 0 && spec.Crops == resize.OneCrop && d.isolated(ctx, data, spec.Allow) {
			report, err = d.framesInHelper(ctx, data, dst, spec, n)
		} else {
			report, err = d.framesInto(ctx, data, dst, spec, n)
		}
		return err
	})
	return report, err
}

func (d *Decoder) framesInto(ctx context.Context, data, dst []byte, spec Spec, n int) (Report, error) {
	f, err := d.openFrames(ctx, data, spec, n)
	if err != nil {
		return Report{}, err
	}
	if f.n*f.size != len(dst) {
		return Report{}, fmt.Errorf("%w: %d of %v take %d bytes, the destination has %d", spool.ErrShape, f.n, f.first.desc,
			f.n*f.size, len(dst))
	}
	return f.run(ctx, dst)
}

// frames is a planned decode of several frames.
type frames struct {
	decoder *Decoder
	data    []byte
	spec    Spec
	first   plan
	n       int
	size    int // bytes of a frame
}

func (d *Decoder) openFrames(ctx context.Context, data []byte, spec Spec, n int) (frames, error) {
	if n < 0 {
		return frames{}, fmt.Errorf("%w: %d frames", spool.ErrOptions, n)
	}
	if spec.Crops != resize.OneCrop {
		return frames{}, fmt.Errorf("%w: Crops are of one frame, and not of several", spool.ErrOptions)
	}
	first, err := d.open(ctx, data, spec)
	if err != nil {
		return frames{}, err
	}
	all := max(first.info.Frames, 1)
	if n == 0 {
		n = all - spec.Frame
	}
	switch last := spec.Frame + n - 1; {
	case last >= all || last < 0: // n may be as large as an int
		return frames{}, noSuchFrame(last, all)
	case int64(last) >= d.limits.MaxFrames:
		return frames{}, limit.Exceeded("%d frames, the limit is %d", last+1, d.limits.MaxFrames)
	}
	if spec.Color == decode.Index && n > 1 && first.info.Animated {
		return frames{}, errNoIndices(first.info)
	}
	size, _ := first.desc.Bytes()
	if int64(size) > d.limits.MaxMemory/int64(n) {
		return frames{}, limit.Exceeded("a result of %d times %v, the limit is %d bytes", n, first.desc, d.limits.MaxMemory)
	}
	return frames{decoder: d, data: data, spec: spec, first: first, n: n, size: size}, nil
}

// run decodes the frames in order. Damage is accepted if all frames together reach spec.Accept. Each frame must
// therefore reach at least what later frames could not make up for: whole pages can, but after damage an animation's
// frames are filled.
func (f frames) run(ctx context.Context, dst []byte) (Report, error) {
	var a animation
	if lane, ok := f.first.lane.(animator); ok && f.first.info.Animated {
		budgeted, budget := f.first.budget(ctx)
		var err error
		a, err = f.first.advance(budgeted, lane, f.decoder.limits.MaxMemory)
		if budget.End(); err != nil {
			return Report{}, failure.Ended(ctx, err)
		}
		defer a.close()
	}
	g := &f.first.geometry
	report := Report{Info: f.first.stored.Detached(), Desc: f.first.desc, Region: g.Region, FlipX: g.FlipX, FlipY: g.FlipY}
	report.Desc = several(f.n, report.Desc)
	read := 0.0 // frames
	for k := range f.n {
		slot := dst[k*f.size:][:f.size]
		if a != nil && report.Damaged { // later frames depend on the damaged one
			if err := f.decoder.fill(ctx, f.first, slot); err != nil {
				return Report{}, err
			}
			continue
		}
		p, err := f.frame(ctx, k, a)
		if err != nil {
			return Report{}, err
		}
		need := f.spec.Accept*float64(f.n) - read
		if a == nil {
			need -= float64(f.n - 1 - k)
		}
		if f.spec.Accept > 0 {
			p.spec.Accept = min(max(need, math.SmallestNonzeroFloat64), 1)
		}
		one, err := f.decoder.run(ctx, p, slot, len(dst)-len(slot))
		if err != nil {
			if f.spec.Accept == 0 || need > 0 || !failure.IsDamage(err) {
				return Report{}, err
			}
			one = Report{Damaged: true, Warnings: 1, Warning: err.Error()} // nothing of this frame was read
			if err := f.decoder.fill(ctx, p, slot); err != nil {
				return Report{}, err
			}
		}
		read += one.Fraction
		report.add(one)
	}
	report.Fraction = read / float64(f.n)
	return report, nil
}

// frame is frame k.
func (f frames) frame(ctx context.Context, k int, a animation) (plan, error) {
	p := f.first
	if a != nil {
		p.animation = a
		return p, nil
	}
	if k > 0 {
		spec := f.spec
		spec.Frame += k
		var err error
		if p, err = f.decoder.open(ctx, f.data, spec); err != nil {
			return plan{}, err
		}
	}
	if n, _ := p.desc.Bytes(); n != f.size || p.geometry.OutWidth != f.first.geometry.OutWidth {
		text := fmt.Sprintf("page %d is of %v, page %d of %v: pages of different sizes must be resized to one size",
			f.first.info.Frame, f.first.desc.Shape, p.info.Frame, p.desc.Shape)
		return plan{}, &spool.Error{Op: "decode", Class: spool.ErrUnsupported, Text: text}
	}
	return p, nil
}

// add adds another frame's report. Trace stays that of the first frame.
func (r *Report) add(one Report) {
	if r.Trace == (Trace{}) {
		r.Trace = one.Trace
	}
	r.Damaged = r.Damaged || one.Damaged
	if r.Warnings == 0 {
		r.Warning = one.Warning
	}
	r.Warnings += one.Warnings
}

// advance is the animation, positioned before the requested frame.
func (p *plan) advance(ctx context.Context, lane animator, maxMemory int64) (animation, error) {
	a, err := lane.animate(ctx, p.data, p.info)
	if err != nil {
		return nil, err
	}
	for range p.info.Frame {
		if _, err := a.next(ctx, rows{maxMemory: maxMemory}); err != nil {
			a.close()
			return nil, err
		}
	}
	return a, nil
}
