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
)

// Frames decodes frames by their numbers, in any order, some of them more than once, into a buffer from the pool.
//
//	Result:  owned by the caller; see VideoSpec for what is in it, ClipReport for what each frame is. Frame n is the
//	         same however it is reached.
//	Errors:  ErrNoSuchFrame for a number that there is not, before anything is decoded; ErrCorrupt and ErrTruncated for
//	         damage, as spec.OnDamage says; ErrUnsupported for frames of different sizes without a size in spec, and for
//	         an input that is a stream; ErrTooLarge; ErrCanceled and ErrTimeout; ErrClosed.
//	Cost:    each GOP that has wanted frames is decoded once, up to the last of them; see index.Index.Plan.
func (v *Video) Frames(ctx context.Context, frames []int, spec VideoSpec) (*Clip, error) {
	k, err := v.prepare(frames, spec)
	if err != nil {
		return nil, v.fault(ctx, err)
	}
	if int64(k.size) > v.decoder.limits.MaxMemory/int64(max(len(frames), 1)) {
		return nil, v.fault(ctx, tooLarge("a clip of %d times %v, the limit is %d bytes", len(frames), k.desc, v.decoder.limits.MaxMemory))
	}
	buffer, err := v.decoder.pixels.GetFor(ctx, len(frames)*k.size, spool.Pixels)
	if err != nil {
		return nil, v.fault(ctx, err)
	}
	k.dst = buffer.Bytes()
	report, err := v.take(ctx, frames, k, spec.OnDamage, v.onward(frames))
	if err != nil {
		buffer.Release()
		return nil, v.fault(ctx, err)
	}
	buffer.SetDesc(report.Desc)
	return &Clip{buffer, report}, nil
}

// FramesInto decodes frames into dst, which must have exactly the size of the result: see Video.Sample, and Frames for
// the rest. On error the contents of dst are unspecified.
func (v *Video) FramesInto(ctx context.Context, dst []byte, frames []int, spec VideoSpec) (ClipReport, error) {
	k, err := v.prepare(frames, spec)
	if err != nil {
		return ClipReport{}, v.fault(ctx, err)
	}
	if len(dst) != len(frames)*k.size {
		return ClipReport{}, fmt.Errorf("%w: %d of %v take %d bytes, the destination has %d", spool.ErrShape, len(frames), k.desc, len(frames)*k.size, len(dst))
	}
	k.dst = dst
	report, err := v.take(ctx, frames, k, spec.OnDamage, v.onward(frames))
	return report, v.fault(ctx, err)
}

// prepare checks a request.
func (v *Video) prepare(frames []int, spec VideoSpec) (*cut, error) {
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
	return v.newCut(spec)
}

// take is a request under way.
type take struct {
	video  *Video
	cut    *cut
	policy Damage
	frames []int
	slots  map[int][]int // of each frame that is wanted
	state  map[int]FrameState
	left   int   // frames that have not come yet
	broken []int // damaged packets
	report ClipReport
	onward bool // the next frames are likely to be asked for next
	most   int  // the last frame that is wanted
}

// onward reports whether frames follow those of the last request, and remembers them: who reads a video in pieces is not
// to have GOPs decoded again for each.
func (v *Video) onward(frames []int) bool {
	if len(frames) == 0 {
		return false
	}
	before := v.next
	v.next = slices.Max(frames) + 1
	return frames[0] == before && slices.IsSorted(frames)
}

func (v *Video) take(ctx context.Context, frames []int, k *cut, policy Damage, onward bool) (ClipReport, error) {
	defer k.close()
	t := &take{video: v, cut: k, policy: policy, frames: frames, onward: onward, slots: map[int][]int{}, state: map[int]FrameState{}}
	for slot, n := range frames {
		t.slots[n] = append(t.slots[n], slot)
	}
	c, err := v.enter(ctx)
	if err != nil {
		return ClipReport{}, err
	}
	defer c.Leave()
	v.player.work = Work{}
	for _, run := range v.index.Plan(frames).Runs {
		if err := t.run(c, run); err != nil {
			v.player.lose()
			return ClipReport{}, err
		}
	}
	t.judge()
	if err := t.settle(c); err != nil {
		v.player.lose()
		return ClipReport{}, err
	}
	return t.done(), nil
}

// run decodes a run. What does not come is looked for from earlier key packets on, at last from the front.
func (t *take) run(c *call.Call, run index.Run) error {
	t.left, t.most = len(run.Frames), run.Frames[len(run.Frames)-1]
	for {
		if err := t.video.player.play(c, run, t, t.onward); err != nil {
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
	_, here := t.state[n]
	return !here && t.slots[n] != nil
}

func (t *take) show(c *call.Call, f *av.Frame) (enough bool, err error) {
	n, ok := t.video.index.FrameAt(f.PTS)
	if !ok || !t.missing(n) {
		return ok && n > t.most, nil // what has not come before that will not come
	}
	slots := t.slots[n]
	if err := t.cut.write(c, f, n, slots[0]); err != nil {
		return false, err
	}
	for _, slot := range slots[1:] {
		copy(t.cut.slot(slot), t.cut.slot(slots[0]))
	}
	t.state[n] = Whole
	if f.Corrupt {
		t.damage(t.video.index.PacketOf(n), &spool.Error{Op: "decode", Class: spool.ErrCorrupt, Text: "the decoder made up a part of the frame"})
	}
	t.left--
	return t.left == 0, nil
}

func (t *take) damage(packet int, cause error) {
	if slices.Contains(t.broken, packet) {
		return
	}
	t.broken = append(t.broken, packet)
	p := t.video.index.Packets[packet]
	pts := math.NaN()
	if p.PTS != index.NoPTS {
		pts = t.video.index.Seconds(p.PTS)
	}
	t.report.Damage = append(t.report.Damage, DamagedPacket{PTS: pts, Class: spool.ClassOf(cause), Text: cause.Error()})
}

// judge marks the frames that a damaged packet may show in: those that were decoded after it, from the same start on.
func (t *take) judge() {
	x := t.video.index
	for n := range t.slots {
		packet := x.PacketOf(n)
		start := x.Start(packet)
		hit := slices.ContainsFunc(t.broken, func(b int) bool { return start <= b && b <= packet })
		switch _, here := t.state[n]; {
		case !here:
			t.state[n] = Missing
		case hit:
			t.state[n] = Damaged
		}
	}
}

// settle does what the policy says about frames that are not whole.
func (t *take) settle(c *call.Call) error {
	for _, n := range t.frames {
		state := t.state[n]
		if state == Whole || state == Repeated {
			continue
		}
		switch {
		case t.policy == FailOnDamage && !t.atCut(n):
			return t.refuse(n, state)
		case t.policy == RepeatOnDamage:
			if err := t.repeat(c, n); err != nil {
				return err
			}
		case state == Missing:
			if err := t.fill(c, n); err != nil {
				return err
			}
		}
	}
	return nil
}

// atCut reports whether a frame is of the file's last packet, which is a part where the file was cut: it is taken for
// what there is of it.
func (t *take) atCut(n int) bool {
	return t.state[n] == Damaged && t.video.index.PacketOf(n) == len(t.video.index.Packets)-1
}

func (t *take) refuse(n int, state FrameState) error {
	text := fmt.Sprintf("frame %d (%v s) does not come", n, t.video.index.Time(n))
	if state == Damaged {
		text = fmt.Sprintf("frame %d (%v s) is damaged", n, t.video.index.Time(n))
	}
	if len(t.report.Damage) > 0 {
		text += ": " + t.report.Damage[0].Text
	}
	return &spool.Error{Op: "decode", Class: spool.ErrCorrupt, Text: text}
}

func (t *take) fill(c *call.Call, n int) error {
	for _, slot := range t.slots[n] {
		if err := t.cut.fill(c.Context(), slot); err != nil {
			return err
		}
	}
	return nil
}

// repeat puts the last whole frame in the place of frame n.
func (t *take) repeat(c *call.Call, n int) error {
	slots := t.slots[n]
	for before := n - 1; before >= max(0, n-repeatBack); before-- {
		one := &take{video: t.video, cut: t.cut, slots: map[int][]int{before: slots}, state: map[int]FrameState{}}
		for _, run := range t.video.index.Plan([]int{before}).Runs {
			if err := one.run(c, run); err != nil {
				return err
			}
		}
		if one.judge(); one.state[before] == Whole {
			t.state[n] = Repeated
			return nil
		}
	}
	t.state[n] = Missing
	return t.fill(c, n)
}

// repeatBack is how far back a whole frame is looked for.
const repeatBack = 300

// done is the report.
func (t *take) done() ClipReport {
	x, r := t.video.index, t.report
	r.Desc = clipOf(len(t.frames), t.cut.desc)
	r.Region, r.FlipX, r.FlipY = t.cut.plan.Region, t.cut.plan.FlipX, t.cut.plan.FlipY
	r.Frames = make([]Frame, len(t.frames))
	for i, n := range t.frames {
		r.Frames[i] = Frame{Index: n, PTS: x.Time(n), Duration: x.Duration(n), State: t.state[n]}
	}
	r.Work = t.video.player.work
	return r
}
