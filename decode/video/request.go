package video

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/index"
	"github.com/spoolmedia/spool/resize"
)

// job is the frames of one caller in a request.
type job struct {
	output *output
	frames []int
	policy decode.Damage
	report Report
	err    error // ends this job only
}

// fast reports whether the decoder may leave out steps for this job.
func (j *job) fast() bool { return j.output.spec.Resize.Profile == resize.Fast }

// frameSlot is the job and slot that a frame is decoded for.
type frameSlot struct {
	job  *job
	slot int
}

// request decodes requests of one video by one plan.
type request struct {
	video      *Video
	slots      map[int][]frameSlot // for each requested frame
	came       map[int]FrameState  // for each frame that came; Missing for frames that are known not to come
	marks      map[int][]mark      // for each frame that is not whole, its damage
	left       int                 // frames of the run that have not come yet
	most       int                 // the last frame of the run
	settings   settings
	sequential bool  // the next request probably asks for the frames after these
	later      bool  // the next request probably asks for later frames
	end        int   // the first packet of the last run
	until      int64 // the run does not end before the frame with this pts
	alarms     []int // packets of the run at which the decoder reported damage
	work       Work
}

// mark is damage that shows in a frame.
type mark struct {
	packet int
	decode.DamagedPacket
}

// newRequest makes a request for the jobs' frames.
func newRequest(v *Video, jobs []*job) *request {
	t := &request{video: v, slots: map[int][]frameSlot{}, came: map[int]FrameState{}, marks: map[int][]mark{},
		settings: v.settings(jobs[0].fast())}
	for _, j := range jobs {
		for slot, n := range j.frames {
			t.slots[n] = append(t.slots[n], frameSlot{j, slot})
		}
	}
	return t
}

// settings is how frames are decoded while nothing is damaged.
func (v *Video) settings(fast bool) settings {
	return settings{fast: fast, threads: max(v.options.Threads, 1)}
}

// serve runs one or more jobs with at most so many workers. Its error fails all of them.
func (v *Video) serve(ctx context.Context, jobs []*job, workers int) error {
	if v.away != nil {
		return v.serveAway(ctx, jobs)
	}
	var all []int
	work := jobs[0].output.work
	defer work.close()
	for _, j := range jobs {
		j.output.work = work
		all = append(all, j.frames...)
	}
	runs := v.index.Plan(all).Runs
	t := newRequest(v, jobs)
	t.sequential, t.later = v.follows(all)
	t.later = t.later && !v.in.IsRemote() // the bytes after the last run would need another request
	following := 0
	if t.sequential {
		following = remoteAhead
	}
	first := v.expect(runs, following)
	if len(runs) > 0 {
		t.end = runs[len(runs)-1].First
	}
	shared, workers := shares(runs, workers)
	if !v.canReopen() {
		workers = 1
	}
	ctx, budget := call.WithBudget(ctx, v.maxCPU(len(all)), workers)
	defer budget.End()
	var err error
	if workers > 1 {
		err = t.parallel(ctx, jobs, shared, workers, first)
	} else if err = v.await(ctx, first); err == nil {
		err = t.play(ctx, slices.Values(runs))
	}
	if err != nil {
		return err
	}
	return t.finish(ctx, jobs)
}

// follows reports whether frames continue the last request, or at least come after it, and remembers the frames. The
// GOPs of a sequential reader are then not decoded again for each request.
func (v *Video) follows(frames []int) (next, later bool) {
	if len(frames) == 0 {
		return false, false
	}
	before := v.next
	v.next = slices.Max(frames) + 1
	return frames[0] == before && slices.IsSorted(frames), before > 0 && slices.Min(frames) >= before
}

// play decodes runs.
func (t *request) play(ctx context.Context, runs iter.Seq[index.Run]) error {
	c, err := t.video.enter(ctx)
	if err != nil {
		return err
	}
	defer c.Leave()
	t.video.session.work = Work{}
	for run := range runs {
		// With more threads the decoder holds back frames, one a thread.
		sequential := t.sequential || t.later && run.First == t.end && t.settings.threads == 1
		if err := t.run(c, run, sequential); err != nil {
			t.video.session.lose()
			return err
		}
	}
	t.work = t.video.session.work
	return nil
}

// finish settles the jobs.
func (t *request) finish(ctx context.Context, jobs []*job) error {
	c, err := t.video.enter(ctx)
	if err != nil {
		return err
	}
	defer c.Leave()
	for _, j := range jobs {
		if j.err == nil {
			j.err = t.settle(c, j)
		}
		if c.Err() != nil {
			t.video.session.lose()
			return j.err
		}
	}
	return nil
}

// run decodes a run. With sequential, the next request may continue in the same decoder. Where the run has damage, or
// frames do not come, it takes several passes; see redecode.
func (t *request) run(c *call.Call, run index.Run, sequential bool) error {
	t.left, t.most, t.alarms = len(run.Frames), run.Frames[len(run.Frames)-1], t.alarms[:0]
	t.until = math.MaxInt64 // otherwise the decoder is drained, which costs nothing more
	if sequential {
		t.until = t.video.index.Through(run)
	}
	if err := t.video.session.play(c, run, t, t.settings, sequential); err != nil {
		return err
	}
	if len(t.alarms) > 0 {
		if err := t.redecode(c, run.Frames); err != nil {
			return err
		}
	}
	return t.search(c, run.Frames)
}

// leaves reports packets whose frame is not requested and that no other frame refers to.
func (t *request) leaves(packet int) bool {
	x := t.video.index
	if !t.video.session.disposable(packet) {
		return false
	}
	n, ok := x.FrameOf(packet)
	return !ok || !t.missing(n) && !(t.sequential && n > t.most)
}

// missing reports whether a frame is requested and has not come yet.
func (t *request) missing(n int) bool {
	_, here := t.came[n]
	return !here && t.slots[n] != nil
}

func (t *request) show(c *call.Call, f *av.Frame) (v verdict, err error) {
	n, ok := t.video.index.FrameAt(f.PTS)
	if !ok {
		return verdict{}, nil
	}
	if f.Corrupt {
		t.damage(t.video.index.PacketOf(n), errMadeUp)
	}
	if t.missing(n) {
		if err := t.write(c, f, n); err != nil {
			return verdict{}, err
		}
		t.came[n] = Whole
		t.left--
	} else {
		v.keep = n > t.most
	}
	// A frame that has not come before a later one will not come.
	v.enough = (t.left == 0 || n > t.most) && f.PTS >= t.until
	return v, nil
}

// write writes the frame's pixels to all slots that ask for it. It converts once for each job.
func (t *request) write(c *call.Call, f *av.Frame, n int) error {
	first := map[*job]int{}
	for _, p := range t.slots[n] {
		j := p.job
		if j.err != nil {
			continue
		}
		if slot, ok := first[j]; ok {
			copy(j.output.slot(p.slot), j.output.slot(slot))
			continue
		}
		first[j] = p.slot
		if j.err = j.output.write(c, f, n, p.slot); c.Err() != nil {
			return j.err
		}
	}
	return nil
}

// damage records a packet that the decoder or demuxer reports as damaged. redecode finds out which frames it affects.
func (t *request) damage(packet int, _ error) {
	// else a leading packet, which cannot decode
	if start := t.video.session.start; start == 0 || !t.video.index.Leads(packet, start) {
		t.alarms = append(t.alarms, packet)
	}
}

// settle applies a job's policy to frames that are not whole, and makes its report.
func (t *request) settle(c *call.Call, j *job) error {
	x, plan := t.video.index, &j.output.plan
	j.report = Report{Desc: clipOf(len(j.frames), j.output.desc), Frames: make([]Frame, len(j.frames)),
		Damage: t.damaged(j.frames),
		Region: plan.Region, FlipX: plan.FlipX, FlipY: plan.FlipY}
	for slot, n := range j.frames {
		state, here := t.came[n]
		if !here {
			state = Missing
		}
		t.video.info.Cut = t.video.info.Cut || t.atCut(n)
		var err error
		switch {
		case state == Whole:
		case j.policy == decode.FailOnDamage && t.atCut(n):
		case j.policy == decode.FailOnDamage:
			err = t.refuse(n, state)
		case j.policy == decode.RepeatOnDamage:
			state, err = t.repeat(c, n, frameSlot{j, slot})
		case state == Missing:
			err = j.output.fill(c.Context(), slot)
		}
		if err != nil {
			return err
		}
		j.report.Frames[slot] = Frame{Index: n, PTS: x.Time(n), Duration: x.Duration(n), State: state}
	}
	j.report.Work, j.report.Stored = t.work, j.output.stored
	return nil
}

// atCut reports whether a frame belongs to the last packet of a cut file, which is incomplete. Such a frame is accepted
// as it decodes.
func (t *request) atCut(n int) bool {
	end := len(t.video.index.Packets) - 1
	if !t.video.index.Stream.Cut && !t.video.unindexed() { // the packet is complete
		return false
	}
	return t.came[n] == Damaged && t.video.index.LastOf(n) == end &&
		!slices.ContainsFunc(t.marks[n], func(m mark) bool { return m.packet < end })
}

// damaged lists the damage that shows in frames, each packet once.
func (t *request) damaged(frames []int) (list []decode.DamagedPacket) {
	shows := map[int]decode.DamagedPacket{}
	for _, n := range frames {
		for _, m := range t.marks[n] {
			shows[m.packet] = m.DamagedPacket
		}
	}
	for _, packet := range slices.Sorted(maps.Keys(shows)) {
		list = append(list, shows[packet])
	}
	return list
}

func (t *request) refuse(n int, state FrameState) error {
	text := fmt.Sprintf("frame %d (%v s) is missing", n, t.video.index.Time(n))
	if state == Damaged {
		text = fmt.Sprintf("frame %d (%v s) is damaged", n, t.video.index.Time(n))
	}
	if marks := t.marks[n]; len(marks) > 0 {
		text += ": " + marks[0].Text
	}
	return &spool.Error{Op: "decode", Class: spool.ErrCorrupt, Text: text}
}

// repeat copies the last whole frame before frame n to its slot, or fills the slot where there is none.
func (t *request) repeat(c *call.Call, n int, p frameSlot) (FrameState, error) {
	one := &job{output: p.job.output}
	for before := n - 1; before >= max(0, n-repeatBack); before-- {
		earlier := &request{video: t.video, slots: map[int][]frameSlot{before: {{one, p.slot}}}, came: map[int]FrameState{},
			marks: map[int][]mark{}, settings: t.settings}
		for _, run := range t.video.index.Plan([]int{before}).Runs {
			if err := earlier.run(c, run, false); err != nil {
				return Missing, err
			}
		}
		if one.err != nil {
			return Missing, one.err
		}
		if state, here := earlier.came[before]; here && state == Whole {
			return Repeated, nil
		}
	}
	return Missing, p.job.output.fill(c.Context(), p.slot)
}

// repeatBack is how many frames back a whole frame is looked for.
const repeatBack = 300
