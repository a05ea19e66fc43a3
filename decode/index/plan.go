package index

import (
	"cmp"
	"slices"
)

// Plan says which packets have to be decoded for a set of frames.
type Plan struct {
	// Frames are the wanted ones, each once, in the order of presentation.
	Frames []int
	// Runs are disjoint and in the order of the file. No packet is in two of them, and so no GOP is decoded twice.
	Runs []Run
}

// Run is a stretch of packets, [First, Last], to be decoded one after the other. It begins with a key packet, or with
// the stream's first one. A frame has come when its packet and those before it have been decoded and the decoder was
// asked for what it still holds.
type Run struct {
	First, Last int
	Frames      []int // the wanted frames whose packets are in the run, in the order of presentation
}

// Packets is how many there are in the run.
func (r Run) Packets() int { return r.Last - r.First + 1 }

// Plan plans for frames, in any order, duplicates shared. Each has to be one of the index's.
func (x *Index) Plan(frames []int) Plan {
	p := Plan{Frames: slices.Clone(frames)}
	slices.Sort(p.Frames)
	p.Frames = slices.Compact(p.Frames)
	runs := make([]Run, len(p.Frames))
	for i, n := range p.Frames {
		packet := int(x.frames[n])
		runs[i] = Run{First: x.Start(packet), Last: x.LastOf(n), Frames: []int{n}}
	}
	// Runs that touch are one: to end a run empties the decoder, and to begin one seeks.
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

// Through is when all has been shown that the frames of a run may be predicted from, in ticks: the latest time of its packets
// that are not disposable, and of its frames.
func (x *Index) Through(run Run) int64 {
	ticks := x.Ticks(run.Frames[len(run.Frames)-1])
	for i := run.First; i <= run.Last; i++ {
		if p := &x.Packets[i]; p.Flags&(Disposable|Discard|Hidden|Field) == 0 {
			ticks = max(ticks, p.PTS)
		}
	}
	return ticks
}

// Start is where a decoder has to begin for the frame of a packet: at the last key packet before it, or, where that is
// shown after the frame, at the key packet before that one. Where there is none it is the stream's first packet.
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

// Leads reports whether the packet's frame is shown before that of a key packet in front of it: a decoder that begins
// there cannot make it whole, and what is shown after the key packet does not need it.
func (x *Index) Leads(packet, key int) bool {
	return x.Packets[packet].PTS != NoPTS && x.Packets[packet].PTS < x.Packets[key].PTS
}

// Earlier is where to begin instead of a packet that did not lead to the frame: at the key packet before it, at last at
// the stream's first packet. It is false there.
func (x *Index) Earlier(start int) (earlier int, ok bool) {
	if start == 0 {
		return 0, false
	}
	key, _ := x.KeyBefore(start - 1)
	return key, true
}
