package video

import (
	"context"
	"fmt"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode/internal/limit"
)

// Frames decodes frames by their numbers, in any order and with repeats, into a buffer from the pool.
//
//	Result:  owned by the caller; see Spec for its contents and Report for each frame's state. Frame n is the
//	         same however it is reached.
//	Errors:  ErrNoSuchFrame for a number out of range, before any decoding. ErrCorrupt and ErrTruncated for damage, as
//	         spec.OnDamage decides. ErrUnsupported for frames of different sizes without a size in spec, and for an
//	         input that is a stream. ErrTooLarge; ErrCanceled and ErrTimeout; ErrClosed.
//	Cost:    each GOP with requested frames is decoded once, up to the last of them; see index.Index.Plan.
func (v *Video) Frames(ctx context.Context, frames []int, spec Spec) (*Clip, error) {
	outputs, err := v.prepare(frames, spec)
	if err != nil {
		return nil, v.fault(ctx, err)
	}
	k, n := outputs[0], len(outputs)*len(frames)
	if int64(k.size) > v.decoder.limits.MaxMemory/int64(max(n, 1)) {
		return nil, v.fault(ctx, limit.Exceeded("a clip of %d times %v, the limit is %d bytes", n, k.desc,
			v.decoder.limits.MaxMemory))
	}
	buffer, err := v.decoder.pixels.GetFor(ctx, n*k.size, spool.Pixels)
	if err != nil {
		return nil, v.fault(ctx, err)
	}
	report, err := v.take(ctx, spec, jobsOf(outputs, frames, spec.OnDamage, buffer.Bytes()))
	if err != nil {
		buffer.Release()
		return nil, v.fault(ctx, err)
	}
	buffer.SetDesc(report.Desc)
	return &Clip{buffer, report}, nil
}

// FramesInto decodes frames into dst, which must have exactly the size of the result: see Video.Sample. Otherwise it is
// like Frames. On error the contents of dst are unspecified.
func (v *Video) FramesInto(ctx context.Context, dst []byte, frames []int, spec Spec) (Report, error) {
	r := Request{Video: v, Dst: dst, Frames: frames, Spec: spec}
	jobs, err := r.jobs()
	if err != nil {
		return Report{}, v.fault(ctx, err)
	}
	report, err := v.take(ctx, spec, jobs)
	if err != nil {
		return Report{}, v.fault(ctx, err)
	}
	return report, nil
}

// prepare validates a request, and returns an output for each crop.
func (v *Video) prepare(frames []int, spec Spec) ([]*output, error) {
	if v.input == nil {
		return nil, fmt.Errorf("decode: video: %w", spool.ErrClosed)
	}
	if err := spec.Validate(); err != nil {
		return nil, err
	}
	if v.index == nil {
		return nil, &spool.Error{Op: "decode", Class: spool.ErrUnsupported, Text: "frames of a stream come in chunks only"}
	}
	for _, n := range frames {
		if err := v.index.Check(n); err != nil {
			return nil, err
		}
	}
	return v.outputs(spec)
}

// take runs the jobs of one request.
func (v *Video) take(ctx context.Context, spec Spec, jobs []*job) (Report, error) {
	if err := v.serve(ctx, jobs, v.workers()); err != nil {
		return Report{}, err
	}
	return reported(spec, jobs)
}
