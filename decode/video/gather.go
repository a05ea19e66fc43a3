package video

import (
	"cmp"
	"context"
	"fmt"
	"runtime"

	"github.com/spoolmedia/spool"
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
	for i, r := range requests {
		j, err := r.job()
		if err != nil {
			answers[i].Err = r.Video.fault(ctx, err)
			continue
		}
		g := group{r.Video, j.fast()}
		if jobs[g] == nil {
			order = append(order, g)
		}
		jobs[g], members[g] = append(jobs[g], j), append(members[g], i)
	}
	for _, g := range order {
		workers := cmp.Or(g.video.options.Workers, runtime.GOMAXPROCS(0))
		failed := g.video.serve(ctx, jobs[g], workers)
		for k, i := range members[g] {
			j := jobs[g][k]
			switch {
			case failed != nil:
				answers[i].Err = g.video.fault(ctx, failed)
			case j.err != nil:
				answers[i].Err = g.video.fault(ctx, j.err)
			default:
				answers[i].Report = j.report
			}
		}
	}
	return answers
}

// job validates the request and makes its job.
func (r *Request) job() (*job, error) {
	k, err := r.Video.prepare(r.Frames, r.Spec)
	if err != nil {
		return nil, err
	}
	if need := len(r.Frames) * k.size; len(r.Dst) != need {
		return nil, fmt.Errorf("%w: %d of %v take %d bytes, the destination has %d", spool.ErrShape, len(r.Frames), k.desc,
			need, len(r.Dst))
	}
	k.dst = r.Dst
	return &job{output: k, frames: r.Frames, policy: r.Spec.OnDamage}, nil
}
