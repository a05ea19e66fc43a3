package video

import (
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/decode/index"
	"github.com/spoolmedia/spool/internal/ranges"
)

// minWorkerPackets is the least number of packets for a worker. Fewer are decoded in the time that it takes to open the
// file once more.
const minWorkerPackets = 64

// sortedRuns is the number of runs a worker up to which the runs are sorted by length. With more runs the order of the
// file stays.
const sortedRuns = 16

// shares limits the workers for runs, and orders the runs. The longest run comes first, so that all workers end at
// about the same time. With many runs the order of the file stays, since no single run matters.
func shares(runs []index.Run, workers int) ([]index.Run, int) {
	all := 0
	for _, r := range runs {
		all += r.Packets()
	}
	workers = max(1, min(workers, all/minWorkerPackets, len(runs)))
	if len(runs) <= sortedRuns*workers {
		runs = slices.SortedStableFunc(slices.Values(runs), func(a, b index.Run) int { return b.Packets() - a.Packets() })
	}
	return runs, workers
}

// canReopen reports whether the input can be read by several handles at once.
func (v *Video) canReopen() bool { return v.in != nil && !v.in.IsStream() }

// parallel decodes runs in parallel, with one handle a worker. Handles are opened while the requests for the first
// packets are in flight.
func (t *request) parallel(ctx context.Context, jobs []*job, runs []index.Run, workers int, first ranges.Range) error {
	failed := make([]error, workers)
	parts := make([]*request, 0, workers)
	copies := make([][]*job, workers)
	var taken atomic.Int64
	rest := func(yield func(index.Run) bool) {
		for {
			i := int(taken.Add(1)) - 1
			if i >= len(runs) || !yield(runs[i]) {
				return
			}
		}
	}
	var group sync.WaitGroup
	for i := range workers {
		video, err := t.video.sibling(ctx, i)
		if err != nil {
			failed[i] = err
			break
		}
		work := &workspace{pool: t.video.decoder.scratch}
		for _, j := range jobs {
			k := *j.output
			k.views, k.work = nil, work
			copies[i] = append(copies[i], &job{output: &k, frames: j.frames})
		}
		part := newRequest(video, copies[i])
		parts = append(parts, part)
		group.Go(func() {
			defer work.close()
			if failed[i] = t.video.await(ctx, first); failed[i] == nil {
				failed[i] = part.play(ctx, rest)
			}
		})
	}
	group.Wait()
	for _, err := range failed {
		if err != nil {
			return err
		}
	}
	for i, part := range parts {
		maps.Copy(t.came, part.came)
		for k, j := range jobs {
			if j.err == nil {
				j.err = copies[i][k].err
			}
			if j.output.stored == (Stored{}) {
				j.output.stored = copies[i][k].output.stored
			}
		}
		maps.Copy(t.marks, part.marks)
		t.work.add(part.work)
	}
	return nil
}

func (w *Work) add(o Work) {
	w.Read, w.Decoded, w.Skipped, w.Seeks = w.Read+o.Read, w.Decoded+o.Decoded, w.Skipped+o.Skipped, w.Seeks+o.Seeks
}

// sibling is the i-th handle of the same video; handle 0 is the video itself. Handles are kept until the video is
// closed.
func (v *Video) sibling(ctx context.Context, i int) (*Video, error) {
	if i == 0 {
		return v, nil
	}
	if i <= len(v.siblings) {
		return v.siblings[i-1], nil
	}
	s := &Video{decoder: v.decoder, options: v.options, name: v.name, in: v.in}
	if err := s.openAgain(ctx, v.index); err != nil {
		_ = s.release() // always nil
		return nil, err
	}
	v.siblings = append(v.siblings, s)
	return s, nil
}

// openAgain opens the input once more. Its index is known to fit.
func (v *Video) openAgain(ctx context.Context, x *index.Index) error {
	c, err := v.enter(ctx)
	if err != nil {
		return err
	}
	defer c.Leave()
	if err := v.session.open(v); err != nil {
		return err
	}
	opened, err := v.in.Demuxer(c, v.openOptions(x))
	if err != nil {
		return err
	}
	v.input = opened
	if err := v.openKnown(opened, x); err != nil {
		return err
	}
	opened.Select(v.info.Stream)
	return nil
}

// openOptions are the options for an input with the index x, or nil without an index.
func (v *Video) openOptions(x *index.Index) av.InputOptions {
	o := av.InputOptions{MaxPixels: v.decoder.limits.MaxPixels}
	if x != nil && keepsTimes(x.Stream.Format) {
		o.NoProbe, o.Format = true, x.Stream.Format
	}
	return o
}
