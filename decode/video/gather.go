package video

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/cores"
)

// Request asks for frames of a video, with the arguments of [Video.FramesInto].
type Request struct {
	Video  *Video
	Dst    []byte
	Frames []int
	Spec   Spec
}

// Answer is the result of one request.
type Answer struct {
	Report Report // Work counts the whole plan, which all requests of the video share
	Err    error
}

// Gather decodes requests in one plan per video. A GOP with frames of several requests is decoded once, and so is a
// frame that several requests ask for.
//
//	Result:      an answer for each request, with the pixels that FramesInto gives.
//	Errors:      those of FramesInto, in the answers. An error of one request does not fail the others, except an
//	             error of reading the file.
//	Concurrency: the call has exclusive use of the videos and decodes them one after the other. Distant GOPs of one
//	             video are decoded in parallel, by at most OpenOptions.Workers handles, which the video keeps; by at
//	             most GOMAXPROCS handles if that is 0.
func Gather(ctx context.Context, requests []Request) []Answer {
	answers := make([]Answer, len(requests))
	type group struct {
		video *Video
		fast  bool // decoders skip steps that the other profiles need
	}
	var order []group
	jobs, members := map[group][]*job{}, map[group][]int{}
	each := make([][]*job, len(requests))
	for i, r := range requests {
		var err error
		if each[i], err = r.jobs(); err != nil {
			answers[i].Err = r.Video.fault(ctx, err)
			continue
		}
		g := group{r.Video, each[i][0].fast()}
		if jobs[g] == nil {
			order = append(order, g)
		}
		jobs[g], members[g] = append(jobs[g], each[i]...), append(members[g], i)
	}
	for _, g := range order {
		workers := cmp.Or(g.video.options.Workers, cores.Count())
		failed := g.video.serve(ctx, jobs[g], workers)
		for _, i := range members[g] {
			report, err := Report{}, failed
			if err == nil {
				report, err = reported(requests[i].Spec, each[i])
			}
			if err != nil {
				err = g.video.fault(ctx, err)
			}
			answers[i] = Answer{report, err}
		}
	}
	return answers
}

// jobs validates the request and makes its jobs, one for each crop.
func (r *Request) jobs() ([]*job, error) {
	outputs, err := r.Video.prepare(r.Frames, r.Spec)
	if err != nil {
		return nil, err
	}
	k, n := outputs[0], len(outputs)*len(r.Frames)
	if need := n * k.size; len(r.Dst) != need {
		return nil, fmt.Errorf("%w: %d of %v take %d bytes, the destination has %d", spool.ErrShape, n, k.desc, need,
			len(r.Dst))
	}
	return jobsOf(outputs, r.Frames, r.Spec.OnDamage, r.Dst), nil
}
