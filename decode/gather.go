package decode

import (
	"context"
	"fmt"
	"runtime"

	"github.com/spoolmedia/spool"
)

// Request is frames of a video, as [Video.FramesInto] takes them.
type Request struct {
	Video  *Video
	Dst    []byte
	Frames []int
	Spec   VideoSpec
}

// Answer is what becomes of a request.
type Answer struct {
	Report ClipReport // Work is that of the plan, which all requests of the video share
	Err    error
}

// Gather decodes requests in one plan for each video: a GOP that several of them have frames of is decoded once, and so
// is a frame that several of them want.
//
//	Result:      an answer for each request, which has the pixels that FramesInto gives.
//	Errors:      those of FramesInto, in the answers; one request's are not another's, but for those of reading the file.
//	Concurrency: the videos are the caller's for the time of the call, and decoded one after the other. What is far apart
//	             in one of them is decoded side by side, by GOMAXPROCS handles at most, which the video keeps.
func Gather(ctx context.Context, requests []Request) []Answer {
	answers := make([]Answer, len(requests))
	type group struct {
		video *Video
		fast  bool // decoders leave out what other profiles want
	}
	workers := runtime.GOMAXPROCS(0)
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
		failed := g.video.take(ctx, jobs[g], workers)
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

// job checks the request.
func (r *Request) job() (*job, error) {
	k, err := r.Video.prepare(r.Frames, r.Spec)
	if err != nil {
		return nil, err
	}
	if need := len(r.Frames) * k.size; len(r.Dst) != need {
		return nil, fmt.Errorf("%w: %d of %v take %d bytes, the destination has %d", spool.ErrShape, len(r.Frames), k.desc, need, len(r.Dst))
	}
	k.dst = r.Dst
	return &job{cut: k, frames: r.Frames, policy: r.Spec.OnDamage}, nil
}
