package index

import (
	"cmp"
	"slices"
)

// Plan lists the packets to decode for a set of frames.
type Plan struct {
	// Frames are the requested frames, each once, in presentation order.
	Frames []int
	// Runs are disjoint and in file order. They share no packet, so that no GOP is decoded twice.
	Runs []Run
}

// Run is a range of consecutive packets to decode, [First, Last]. It begins with a key packet, or with the stream's
// first packet. A frame is complete when its packet and those before it are decoded, and the decoder has returned the
// frames that it buffers.
type Run struct {
	First, Last int
	Frames      []int // requested frames with packets in the run, in presentation order
}

// Packets is the number of packets in the run.
func (r Run) Packets() int { return r.Last - r.First + 1 }

// Plan plans the decoding of frames, in any order, with duplicates merged. All frames must exist.
func (x *Index) Plan(frames []int) Plan {
	p := Plan{Frames: slices.Clone(frames)}
	slices.Sort(p.Frames)
	p.Frames = slices.Compact(p.Frames)
	runs := make([]Run, len(p.Frames))
	for i, n := range p.Frames {
		packet := int(x.frames[n])
		runs[i] = Run{First: x.Start(packet), Last: x.LastOf(n), Frames: []int{n}}
	}
	// Adjacent runs are merged: the end of a run drains the decoder, and the beginning of one needs a seek.
	slices.SortFunc(runs, func(a, b Run) int { return cmp.Or(cmp.Compare(a.First, b.First), cmp.Compare(a.Last, b.Last)) })
	for _, r := range runs {
		if i := len(p.Runs) - 1; i >= 0 && r.First <= p.Runs[i].Last+1 {
			p.Runs[i].Last = max(p.Runs[i].Last, r.Last)
			p.Runs[i].Frames = append(p.Runs[i].Frames, r.Frames...)
			continue
		}
		p.Runs = append(p.Runs, r)
	}
	for i := range p.Runs {
		slices.Sort(p.Runs[i].Frames)
	}
	return p
}

// Through is the time, in ticks, by which all frames are shown that frames of a run may be predicted from. It is the
// latest time of the run's packets that are not disposable, and of its frames.
func (x *Index) Through(run Run) int64 {
	ticks := x.Ticks(run.Frames[len(run.Frames)-1])
	for i := run.First; i <= run.Last; i++ {
		if p := &x.Packets[i]; p.Flags&(Disposable|Discard|Hidden|Field) == 0 {
			ticks = max(ticks, p.PTS)
		}
	}
	return ticks
}

// Start is where a decoder must begin for the frame of a packet: at the last key packet before it. If that is shown
// after the frame, it is the key packet before that. Without such a key packet it is the stream's first packet.
func (x *Index) Start(packet int) int {
	key := x.keyBefore(packet)
	if key >= 0 && x.Leads(packet, int(x.keys[key])) {
		key--
	}
	if key < 0 {
		return 0
	}
	return int(x.keys[key])
}

// Leads reports whether the packet's frame is shown before that of an earlier key packet. A decoder that begins at the
// key packet cannot decode the frame completely, and frames shown after the key packet do not depend on it.
func (x *Index) Leads(packet, key int) bool {
	return x.Packets[packet].PTS != NoPTS && x.Packets[packet].PTS < x.Packets[key].PTS
}

// Earlier is where to begin if decoding from start did not give the frame: at the key packet before, and in the end at
// the stream's first packet. From there it returns false.
func (x *Index) Earlier(start int) (earlier int, ok bool) {
	if start == 0 {
		return 0, false
	}
	key, _ := x.KeyBefore(start - 1)
	return key, true
}
