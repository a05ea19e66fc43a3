package decode

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/decode/index"
	"github.com/spoolmedia/spool/resize"
)

// job is a request of a take.
type job struct {
	cut    *cut
	frames []int
	policy Damage
	report ClipReport
	err    error // ends the job, and no other
}

// fast reports whether the job leaves decoders what they may leave out.
func (j *job) fast() bool { return j.cut.spec.Resize.Profile == resize.Fast }

// place is where a frame is wanted.
type place struct {
	job  *job
	slot int
}

// take is requests of one video under way, all of them in one plan.
type take struct {
	video  *Video
	places map[int][]place    // of each frame that is wanted
	came   map[int]FrameState // of each frame that has come, Whole or Damaged
	left   int                // frames of the run that have not come yet
	most   int                // the last frame of the run
	fast   bool               // see player.openCodec
	onward bool               // the frames after it are likely to be asked for next
	broken []DamagedPacket
	at     []int // the packets of broken
	work   Work
}

// newTake is a take of the jobs' frames, or, where runs are given, of those among them that are in these.
func newTake(v *Video, jobs []*job, runs []index.Run) *take {
	t := &take{video: v, places: map[int][]place{}, came: map[int]FrameState{}, fast: jobs[0].fast()}
	for _, run := range runs {
		for _, n := range run.Frames {
			t.places[n] = []place{}
		}
	}
	for _, j := range jobs {
		for slot, n := range j.frames {
			if places, wanted := t.places[n]; wanted {
				t.places[n] = append(places, place{j, slot})
			}
		}
	}
	return t
}

// take runs jobs, at least one, by so many workers. Its error is that of all.
func (v *Video) take(ctx context.Context, jobs []*job, workers int) error {
	var all []int
	work := jobs[0].cut.work
	defer work.close()
	for _, j := range jobs {
		j.cut.work = work
		all = append(all, j.frames...)
	}
	runs := v.index.Plan(all).Runs
	t := newTake(v, jobs, runs)
	t.onward = v.follows(all)
	var err error
	if parts := portions(runs, workers); len(parts) > 1 && v.canReopen() {
		err = t.apart(ctx, jobs, parts)
	} else {
		err = t.play(ctx, runs)
	}
	if err != nil {
		return err
	}
	return t.finish(ctx, jobs)
}

// follows reports whether frames follow those of the last request, and remembers them: who reads a video in pieces is not
// to have GOPs decoded again for each.
func (v *Video) follows(frames []int) bool {
	if len(frames) == 0 {
		return false
	}
	before := v.next
	v.next = slices.Max(frames) + 1
	return frames[0] == before && slices.IsSorted(frames)
}

// play decodes runs.
func (t *take) play(ctx context.Context, runs []index.Run) error {
	c, err := t.video.enter(ctx)
	if err != nil {
		return err
	}
	defer c.Leave()
	t.video.player.work = Work{}
	for i, run := range runs {
		if err := t.run(c, run, i == len(runs)-1); err != nil {
			t.video.player.lose()
			return err
		}
	}
	t.work = t.video.player.work
	return nil
}

// finish settles the jobs.
func (t *take) finish(ctx context.Context, jobs []*job) error {
	c, err := t.video.enter(ctx)
	if err != nil {
		return err
	}
	defer c.Leave()
	t.judge()
	for _, j := range jobs {
		if j.err == nil {
			j.err = t.settle(c, j)
		}
		if c.Err() != nil {
			t.video.player.lose()
			return j.err
		}
	}
	return nil
}

// run decodes a run. What does not come is looked for from earlier key packets on, at last from the front. The last run is
// the one that the next request may go on with.
func (t *take) run(c *call.Call, run index.Run, last bool) error {
	onward := t.onward || last && t.video.options.Threads <= 1 // each thread holds a frame back
	t.left, t.most = len(run.Frames), run.Frames[len(run.Frames)-1]
	for {
		if err := t.video.player.play(c, run, t, t.fast, onward); err != nil {
			return err
		}
		if t.left == 0 {
			return nil
		}
		earlier, ok := t.video.index.Earlier(run.First)
		if !ok {
			return nil
		}
		run.First = earlier
	}
}

func (t *take) wants(packet int) bool {
	n, ok := t.video.index.FrameAt(t.video.index.Packets[packet].PTS)
	return ok && (t.missing(n) || t.onward && n > t.most)
}

// missing reports whether a frame is wanted and has not come yet.
func (t *take) missing(n int) bool {
	_, here := t.came[n]
	return !here && t.places[n] != nil
}

func (t *take) show(c *call.Call, f *av.Frame) (enough bool, err error) {
	n, ok := t.video.index.FrameAt(f.PTS)
	if !ok || !t.missing(n) {
		return ok && n > t.most, nil // what has not come before that will not come
	}
	if err := t.write(c, f, n); err != nil {
		return false, err
	}
	t.came[n] = Whole
	if f.Corrupt {
		t.damage(t.video.index.PacketOf(n), &spool.Error{Op: "decode", Class: spool.ErrCorrupt, Text: "the decoder made up a part of the frame"})
	}
	t.left--
	return t.left == 0, nil
}

// write makes the frame's pixels wherever they are wanted, once for each job.
func (t *take) write(c *call.Call, f *av.Frame, n int) error {
	first := map[*job]int{}
	for _, p := range t.places[n] {
		j := p.job
		if j.err != nil {
			continue
		}
		if slot, ok := first[j]; ok {
			copy(j.cut.slot(p.slot), j.cut.slot(slot))
			continue
		}
		first[j] = p.slot
		if j.err = j.cut.write(c, f, n, p.slot); c.Err() != nil {
			return j.err
		}
	}
	return nil
}

func (t *take) damage(packet int, cause error) {
	if slices.Contains(t.at, packet) {
		return
	}
	p := t.video.index.Packets[packet]
	pts := math.NaN()
	if p.PTS != index.NoPTS {
		pts = t.video.index.Seconds(p.PTS)
	}
	t.at = append(t.at, packet)
	t.broken = append(t.broken, DamagedPacket{PTS: pts, Class: spool.ClassOf(cause), Text: cause.Error()})
}

// judge marks the frames that a damaged packet may show in: those that were decoded after it, from the same start on.
func (t *take) judge() {
	for n := range t.came {
		packet := t.video.index.PacketOf(n)
		start := t.video.index.Start(packet)
		if slices.ContainsFunc(t.at, func(b int) bool { return start <= b && b <= packet }) {
			t.came[n] = Damaged
		}
	}
}

// settle does what a job's policy says about frames that are not whole, and reports.
func (t *take) settle(c *call.Call, j *job) error {
	x, plan := t.video.index, &j.cut.plan
	j.report = ClipReport{Desc: clipOf(len(j.frames), j.cut.desc), Frames: make([]Frame, len(j.frames)), Damage: t.broken,
		Region: plan.Region, FlipX: plan.FlipX, FlipY: plan.FlipY}
	for slot, n := range j.frames {
		state, here := t.came[n]
		if !here {
			state = Missing
		}
		var err error
		switch {
		case state == Whole:
		case j.policy == FailOnDamage && !t.atCut(n):
			err = t.refuse(n, state)
		case j.policy == RepeatOnDamage:
			state, err = t.repeat(c, n, place{j, slot})
		case state == Missing:
			err = j.cut.fill(c.Context(), slot)
		}
		if err != nil {
			return err
		}
		j.report.Frames[slot] = Frame{Index: n, PTS: x.Time(n), Duration: x.Duration(n), State: state}
	}
	j.report.Work = t.work
	return nil
}

// atCut reports whether a frame is of the file's last packet, which is a part where the file was cut: it is taken for
// what there is of it.
func (t *take) atCut(n int) bool {
	_, here := t.came[n]
	return here && t.video.index.PacketOf(n) == len(t.video.index.Packets)-1 && !slices.ContainsFunc(t.at, func(b int) bool {
		return b < len(t.video.index.Packets)-1
	})
}

func (t *take) refuse(n int, state FrameState) error {
	text := fmt.Sprintf("frame %d (%v s) does not come", n, t.video.index.Time(n))
	if state == Damaged {
		text = fmt.Sprintf("frame %d (%v s) is damaged", n, t.video.index.Time(n))
	}
	if len(t.broken) > 0 {
		text += ": " + t.broken[0].Text
	}
	return &spool.Error{Op: "decode", Class: spool.ErrCorrupt, Text: text}
}

// repeat puts the last whole frame before frame n in its place, the job's colour where there is none.
func (t *take) repeat(c *call.Call, n int, p place) (FrameState, error) {
	one := &job{cut: p.job.cut}
	for before := n - 1; before >= max(0, n-repeatBack); before-- {
		earlier := &take{video: t.video, places: map[int][]place{before: {{one, p.slot}}}, came: map[int]FrameState{}, fast: t.fast}
		for _, run := range t.video.index.Plan([]int{before}).Runs {
			if err := earlier.run(c, run, false); err != nil {
				return Missing, err
			}
		}
		if earlier.judge(); one.err != nil {
			return Missing, one.err
		}
		if state, here := earlier.came[before]; here && state == Whole {
			return Repeated, nil
		}
	}
	return Missing, p.job.cut.fill(c.Context(), p.slot)
}

// repeatBack is how far back a whole frame is looked for.
const repeatBack = 300
