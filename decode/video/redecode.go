package video

import (
	"math"
	"slices"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/index"
)

// The pixels of a frame must not depend on which other frames a request asks for. But a decoder that met damage
// predicts the next frames from whatever its buffers hold. Frames near damage are therefore decoded again, in groups by
// the packet that decoding begins with.
//
// The first passes leave out damaged packets that no other frame refers to. They show which frames are whole. The other
// frames are decoded in a last pass with all packets.

var errNoFrame = &spool.Error{Op: "decode", Class: spool.ErrCorrupt, Text: "the packet gives no frame"}

var errMadeUp = &spool.Error{Op: "decode", Class: spool.ErrCorrupt, Text: "the decoder concealed a part of the frame"}

// pass is one decode of a range of packets by a decoder that conceals damage where it can. As a sink it never ends
// the run early.
type pass struct {
	request  *request
	start    int
	wanted   map[int]bool // frame numbers
	whole    bool         // no packet is left out
	excluded map[int]bool // packets that are left out although their frames are wanted
	came     map[int]bool // wanted frames that came
	found    []mark       // damage, one mark for each packet
}

func (p *pass) leaves(packet int) bool {
	x := p.request.video.index
	if p.whole || !p.request.video.session.disposable(packet) {
		return false
	}
	n, ok := x.FrameOf(packet)
	return p.excluded[packet] || !ok || !p.wanted[n]
}

func (p *pass) show(c *call.Call, f *av.Frame) (v verdict, err error) {
	x := p.request.video.index
	n, ok := x.FrameAt(f.PTS)
	if ok && f.Corrupt {
		p.damage(x.PacketOf(n), errMadeUp)
	}
	if !ok || !p.wanted[n] || p.came[n] {
		return verdict{}, nil
	}
	p.came[n] = true
	return verdict{}, p.request.write(c, f, n)
}

func (p *pass) damage(packet int, cause error) {
	if p.hasDamage(packet) {
		return
	}
	p.found = append(p.found, p.request.video.mark(packet, cause))
}

// mark is the damage of a packet.
func (v *Video) mark(packet int, cause error) mark {
	pts := math.NaN()
	if ticks := v.index.Packets[packet].PTS; ticks != index.NoPTS {
		pts = v.index.Seconds(ticks)
	}
	return mark{packet, decode.DamagedPacket{PTS: pts, Class: spool.ClassOf(cause), Text: cause.Error()}}
}

// in is the damage found that shows in frame n.
func (p *pass) in(n int) (marks []mark) {
	x := p.request.video.index
	at, last := x.PacketOf(n), x.LastOf(n)
	for _, m := range p.found {
		if x.Leads(m.packet, p.start) && !x.Leads(at, p.start) {
			continue // a leading packet fails at every such start
		}
		if at <= m.packet && m.packet <= last || m.packet < at && !p.request.video.session.disposable(m.packet) {
			marks = append(marks, m)
		}
	}
	return marks
}

// hasDamage reports whether a packet was found damaged.
func (p *pass) hasDamage(packet int) bool {
	return slices.ContainsFunc(p.found, func(m mark) bool { return m.packet == packet })
}

// runPass decodes frames in a separate pass that begins with packet start.
func (t *request) runPass(c *call.Call, start int, frames []int, whole bool, excluded map[int]bool) (*pass, error) {
	p := &pass{request: t, start: start, wanted: map[int]bool{}, whole: whole, excluded: excluded, came: map[int]bool{}}
	run := index.Run{First: start, Frames: frames}
	for _, n := range frames {
		p.wanted[n] = true
		run.Last = max(run.Last, t.video.index.LastOf(n))
	}
	s := &t.video.session
	s.stop()
	return p, s.play(c, run, p, settings{fast: t.settings.fast, threads: 1}, false)
}

// redecode finds out which of a run's frames the alarms affect, and decodes these again.
func (t *request) redecode(c *call.Call, frames []int) error {
	x := t.video.index
	late := t.settings.threads - 1 // a threaded decoder reports damage up to so many packets late
	for _, g := range t.groups(frames, func(n, start int) bool {
		return slices.ContainsFunc(t.alarms, func(b int) bool { return start <= b && b-late <= x.LastOf(n) })
	}) {
		if err := t.redecodeGroup(c, g.First, g.Frames); err != nil {
			return err
		}
	}
	return nil
}

// redecodeRounds limits the passes for a group. Leaving out damaged packets can reveal further damaged packets.
const redecodeRounds = 4

// redecodeGroup decodes frames again that begin with the same packet.
func (t *request) redecodeGroup(c *call.Call, start int, frames []int) error {
	x := t.video.index
	excluded, own := map[int]bool{}, map[int]mark{} // by packet
	var lean *pass
	for grew, rounds := true, 0; grew && rounds < redecodeRounds; rounds++ {
		var err error
		if lean, err = t.runPass(c, start, frames, false, excluded); err != nil {
			return err
		}
		grew = false
		for _, m := range lean.found {
			if t.video.session.disposable(m.packet) && !excluded[m.packet] {
				grew, excluded[m.packet], own[m.packet] = true, true, m
			}
		}
	}
	var bad []int
	for _, n := range frames {
		delete(t.came, n)
		delete(t.marks, n)
		marks := lean.in(n)
		for packet := x.PacketOf(n); packet <= x.LastOf(n); packet++ {
			if m, ok := own[packet]; ok && !slices.ContainsFunc(marks, func(o mark) bool { return o.packet == packet }) {
				marks = append(marks, m)
			}
		}
		switch {
		case len(marks) > 0:
			bad = append(bad, n)
			t.came[n], t.marks[n] = Missing, marks
		case lean.came[n]:
			t.came[n] = Whole
		}
	}
	if len(bad) == 0 {
		return nil
	}
	last := lean
	for range redecodeRounds {
		if last.hasDamage(start) { // the start itself is damaged
			start, _ = x.Earlier(start)
		}
		all, err := t.runPass(c, start, bad, true, nil)
		if err != nil {
			return err
		}
		if last = all; !all.hasDamage(start) || start == 0 {
			break
		}
	}
	for n := range last.came {
		t.came[n] = Damaged
	}
	return nil
}

// search looks for frames that did not come although no damage of them is known. It decodes from their key packet where
// the run has damage, else from the key packet before it, and then from ever earlier ones up to the front. Some streams
// mark packets as key packets that are not.
func (t *request) search(c *call.Call, frames []int) error {
	nearest := 1 // key packets to go back
	if len(t.alarms) > 0 {
		nearest = 0
	}
	for _, g := range t.groups(frames, func(n, _ int) bool { return t.missing(n) }) {
		start, group := g.First, g.Frames
		for back := nearest; len(group) > 0 && (back == 0 || start > 0); back = max(1, 2*back) {
			for range back {
				start, _ = t.video.index.Earlier(start)
			}
			p, err := t.runPass(c, start, group, false, nil)
			if err != nil {
				return err
			}
			for n := range p.came {
				t.came[n] = Whole
				if m := p.in(n); len(m) > 0 {
					t.came[n], t.marks[n] = Damaged, m
				}
			}
			group = slices.DeleteFunc(group, func(n int) bool { return p.came[n] })
		}
		for _, n := range group {
			t.came[n], t.marks[n] = Missing, []mark{t.video.mark(t.video.index.PacketOf(n), errNoFrame)}
		}
	}
	return nil
}

// groups are the frames for which holds is true, grouped by the packet that decoding begins with.
func (t *request) groups(frames []int, holds func(n, start int) bool) (runs []index.Run) {
	x := t.video.index
	for _, n := range frames {
		start := x.Start(x.PacketOf(n))
		if !holds(n, start) {
			continue
		}
		i := slices.IndexFunc(runs, func(r index.Run) bool { return r.First == start })
		if i < 0 {
			i, runs = len(runs), append(runs, index.Run{First: start})
		}
		runs[i].Frames = append(runs[i].Frames, n)
	}
	return runs
}
