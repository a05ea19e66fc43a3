package video

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/internal/failure"
	"github.com/spoolmedia/spool/decode/internal/limit"
	"github.com/spoolmedia/spool/resize"
)

// Chunks gives all frames from the first on, k at a time and fewer at the end. A chunk is decoded when the caller asks
// for it. This is the way to read a stream, and bounds the memory for a long video to that of one chunk.
//
//	Result:  clips owned by the caller. Frames of a stream are numbered in the order in which they come.
//	Errors:  those of Frames, with a nil clip; the sequence then ends. ErrOptions for a k below 1, and for
//	         Spec.Crops.
//	Cost:    each packet is decoded once.
func (v *Video) Chunks(ctx context.Context, k int, spec Spec) iter.Seq2[*Clip, error] {
	return func(yield func(*Clip, error) bool) {
		switch {
		case k < 1:
			yield(nil, fmt.Errorf("%w: chunks of %d frames", spool.ErrOptions, k))
		case v.index == nil:
			v.stream(ctx, k, spec, yield)
		default:
			v.chunks(ctx, 0, v.Len(), k, spec, yield)
		}
	}
}

// ChunksOf is Chunks for the frames [from, to) of a video with an index. Errors of frames that do not exist are those
// of Frames.
func (v *Video) ChunksOf(ctx context.Context, from, to, k int, spec Spec) iter.Seq2[*Clip, error] {
	return func(yield func(*Clip, error) bool) {
		if k < 1 {
			yield(nil, fmt.Errorf("%w: chunks of %d frames", spool.ErrOptions, k))
			return
		}
		v.chunks(ctx, from, to, k, spec, yield)
	}
}

// chunks makes consecutive requests, each of which continues in the session.
func (v *Video) chunks(ctx context.Context, from, to, k int, spec Spec, yield func(*Clip, error) bool) {
	if err := spec.noCrops(); err != nil {
		yield(nil, v.fault(ctx, err))
		return
	}
	frames := make([]int, k)
	v.next = from // so that the first request counts as sequential, too
	for first := from; first < to; first += k {
		frames = frames[:min(k, to-first)]
		for i := range frames {
			frames[i] = first + i
		}
		clip, err := v.Frames(ctx, frames, spec)
		if !yield(clip, err) || err != nil {
			return
		}
	}
}

// streamReader is a stream that is read from front to back, without an index.
type streamReader struct {
	video   *Video
	output  *output
	policy  decode.Damage
	frames  int   // frames so far
	ended   bool  // no packets remain
	drained bool  // no frames remain in the decoder
	tainted bool  // damage since the last key frame
	damage  error // fails the clip, unless the stream ends after it
	report  Report
	last    []byte // the last whole frame, where it may have to be repeated
}

func (v *Video) stream(ctx context.Context, k int, spec Spec, yield func(*Clip, error) bool) {
	job, err := v.newStreamRead(spec)
	if err != nil {
		yield(nil, v.fault(ctx, err))
		return
	}
	for !job.drained {
		clip, err := job.next(ctx, k)
		if err != nil {
			yield(nil, v.fault(ctx, err))
			return
		}
		if clip == nil || !yield(clip, nil) {
			return
		}
	}
}

func (v *Video) newStreamRead(spec Spec) (*streamReader, error) {
	if v.isClosed() {
		return nil, fmt.Errorf("decode: video: %w", spool.ErrClosed)
	}
	if v.streamed {
		return nil, &spool.Error{Op: "decode", Class: spool.ErrUnsupported, Text: "a stream can be read only once"}
	}
	if err := spec.Validate(); err != nil {
		return nil, err
	}
	if err := spec.noCrops(); err != nil {
		return nil, err
	}
	k, err := v.newCut(spec)
	if err != nil {
		return nil, err
	}
	v.streamed = true
	return &streamReader{video: v, output: k, policy: spec.OnDamage}, nil
}

// next returns the next k frames, fewer at the end, and nil after it.
func (r *streamReader) next(ctx context.Context, k int) (*Clip, error) {
	limits := r.video.decoder.limits
	if int64(r.output.size) > limits.MaxMemory/int64(k) {
		return nil, limit.Exceeded("a chunk of %d times %v, the limit is %d bytes", k, r.output.desc, limits.MaxMemory)
	}
	buffer, err := r.video.decoder.pixels.GetFor(ctx, k*r.output.size, spool.Pixels)
	if err != nil {
		return nil, err
	}
	r.output.dst, r.report = buffer.Bytes(), Report{}
	if err := r.fill(ctx, k); err != nil || len(r.report.Frames) == 0 {
		buffer.Release()
		return nil, err
	}
	plan, report := &r.output.plan, r.report
	report.Desc = clipOf(len(report.Frames), r.output.desc)
	report.Region, report.FlipX, report.FlipY = plan.Region, plan.FlipX, plan.FlipY
	report.Stored = r.output.stored
	report.Work, r.video.session.work = r.video.session.work, Work{}
	if n := len(report.Frames); n < k {
		buffer.Shrink(n * r.output.size)
	}
	buffer.SetDesc(report.Desc)
	return &Clip{buffer, report}, nil
}

// fill decodes until there are k frames or the stream ends.
func (r *streamReader) fill(ctx context.Context, k int) error {
	defer r.output.work.close()
	c, err := r.video.enterAlone(ctx, k)
	if err != nil {
		return err
	}
	defer c.Leave()
	p := &r.video.session
	if err := p.openCodec(c, settings{fast: r.output.spec.Resize.Profile == resize.Fast,
		threads: r.video.options.Threads}); err != nil {
		return err
	}
	for len(r.report.Frames) < k {
		ok, err := p.codec.Receive(c, p.frame)
		switch {
		case err != nil:
			if err := r.note(err); err != nil {
				return err
			}
		case ok:
			p.fallback = p.codec.Fallback()
			if err := r.show(c); err != nil {
				return err
			}
		case r.ended:
			r.drained = true
			return nil
		default:
			if err := r.send(c); err != nil {
				return err
			}
		}
	}
	return nil
}

// send gives the decoder the next packet, or the end.
func (r *streamReader) send(c *call.Call) error {
	p := &r.video.session
	err := p.fetch(c)
	if errors.Is(err, io.EOF) {
		r.ended, r.damage = true, nil // a stream that was cut ends with damage
		err = p.codec.Send(c, nil)
	} else if err == nil {
		if r.damage != nil && r.policy == decode.FailOnDamage {
			return r.damage
		}
		p.work.Decoded++
		err = p.codec.Send(c, p.packet)
	}
	return r.note(err)
}

// note records damage, and returns other errors.
func (r *streamReader) note(err error) error {
	if err == nil || !failure.IsDamage(err) {
		return err
	}
	r.tainted, r.damage = true, err
	r.report.Damage = append(r.report.Damage,
		decode.DamagedPacket{PTS: r.seconds(r.video.session.packet.Entry().PTS), Class: spool.ClassOf(err),
			Text: err.Error()})
	return nil
}

// seconds is a time of the stream, NaN without a time stamp.
func (r *streamReader) seconds(ticks int64) float64 {
	if ticks == av.NoPTS {
		return math.NaN()
	}
	base := r.video.base
	return float64(ticks) * float64(base.Num) / float64(base.Den)
}

// show writes the frame that came.
func (r *streamReader) show(c *call.Call) error {
	f, slot := r.video.session.frame, len(r.report.Frames)
	if f.Corrupt {
		if err := r.note(&spool.Error{Op: "decode", Class: spool.ErrCorrupt,
			Text: fmt.Sprintf("frame %d is concealed in part", r.frames)}); err != nil {
			return err
		}
	} else if f.Key {
		r.tainted = false
	}
	frame := Frame{Index: r.frames, PTS: r.seconds(f.PTS), Duration: r.duration(f)}
	if f.PTS == av.NoPTS {
		frame.PTS = float64(r.frames) * frame.Duration
	}
	into := r.output.slot(slot)
	switch {
	case !r.tainted || r.policy != decode.RepeatOnDamage:
		if err := r.output.write(c, f, r.frames, slot); err != nil {
			return err
		}
		if r.tainted {
			frame.State = Damaged
		} else if r.policy == decode.RepeatOnDamage {
			r.last = append(r.last[:0], into...)
		}
	case r.last != nil:
		copy(into, r.last)
		frame.State = Repeated
	default:
		if err := r.output.fill(c.Context(), slot); err != nil {
			return err
		}
		frame.State = Missing
	}
	r.frames++
	r.report.Frames = append(r.report.Frames, frame)
	return nil
}

// duration is the display time of a frame: its own, or else that of the frame rate.
func (r *streamReader) duration(f *av.Frame) float64 {
	switch {
	case f.Duration > 0:
		return r.seconds(f.Duration)
	case r.video.info.Rate > 0:
		return 1 / r.video.info.Rate
	}
	return 0
}
